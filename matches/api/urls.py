"""The addresses of matches, below `/api/v1/`."""

from django.urls import path

from matches.api.actions import AbandonView, ActionLookUpView, ActionsView
from matches.api.feed import FeedView
from matches.api.log import EventsView, SheetView
from matches.api.matches import MatchDetailView, MatchesView
from matches.api.seats import SeatView, SubstituteView
from matches.api.stream import StreamView
from matches.api.webhooks import DeliveriesView, RedeliverView, SecretView, WebhookDetailView, WebhooksView

urlpatterns = [
    path("matches", MatchesView.as_view(), name="matches"),
    path("matches/<uuid:match_id>", MatchDetailView.as_view(), name="match"),
    path("matches/<uuid:match_id>/seats/<int:seat>", SeatView.as_view(), name="seat"),
    path("matches/<uuid:match_id>/seats/<int:seat>/substitute", SubstituteView.as_view(), name="substitute"),
    path("matches/<uuid:match_id>/actions", ActionsView.as_view(), name="actions"),
    path("matches/<uuid:match_id>/actions/<path:key>", ActionLookUpView.as_view(), name="action"),
    path("matches/<uuid:match_id>/abandon", AbandonView.as_view(), name="abandon"),
    path("matches/<uuid:match_id>/events", EventsView.as_view(), name="events"),
    path("matches/<uuid:match_id>/stream", StreamView.as_view(), name="stream"),
    path("matches/<uuid:match_id>/sheet", SheetView.as_view(), name="sheet"),
    path("events", FeedView.as_view(), name="feed"),
    path("webhooks", WebhooksView.as_view(), name="webhooks"),
    path("webhooks/<uuid:webhook_id>", WebhookDetailView.as_view(), name="webhook"),
    path("webhooks/<uuid:webhook_id>/secret", SecretView.as_view(), name="webhook-secret"),
    path("webhooks/<uuid:webhook_id>/deliveries", DeliveriesView.as_view(), name="deliveries"),
    path(
        "webhooks/<uuid:webhook_id>/deliveries/<uuid:delivery_id>/redeliver", RedeliverView.as_view(), name="redeliver"
    ),
]
