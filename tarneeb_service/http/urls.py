"""The pages that problem types point at."""

from django.urls import path

from tarneeb_service.http import views

urlpatterns = [
    path("", views.problem_list, name="problem-list"),
    path("<slug:code>", views.problem_page, name="problem"),
]
