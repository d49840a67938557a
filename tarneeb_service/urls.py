"""Every address of the service."""

from importlib.util import find_spec

from django.urls import URLPattern, URLResolver, include, path
from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerView

from tarneeb_service import health

urlpatterns: list[URLPattern | URLResolver] = [
    path("healthz", health.alive, name="healthz"),
    path("readyz", health.ready, name="readyz"),
    path("api/schema", SpectacularAPIView.as_view(), name="schema"),
    path("api/docs", SpectacularSwaggerView.as_view(url_name="schema"), name="docs"),
    path("problems/", include("tarneeb_service.http.urls")),
]
if find_spec("matches.api.urls") is not None:
    urlpatterns.append(path("api/v1/", include("matches.api.urls")))

handler400 = "tarneeb_service.http.views.error_400"
handler403 = "tarneeb_service.http.views.error_403"
handler404 = "tarneeb_service.http.views.error_404"
handler500 = "tarneeb_service.http.views.error_500"
