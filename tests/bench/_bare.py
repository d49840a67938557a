"""The yardstick: a bare DRF view that inserts one row, on the same server as the service."""

from typing import Any

from django.db import connection, models
from django.urls import include, path
from rest_framework.parsers import JSONParser
from rest_framework.permissions import AllowAny
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView


class BareRow(models.Model):
    """One inserted row."""

    text = models.TextField()

    class Meta:
        app_label = "matches"
        managed = False
        db_table = "bench_bare_row"

    def __str__(self) -> str:
        return self.text


class BareInsertView(APIView):
    """What DRF costs before anything is done for a game."""

    authentication_classes = ()
    permission_classes = (AllowAny,)
    parser_classes = (JSONParser,)
    renderer_classes = (JSONRenderer,)

    def post(self, request: Request) -> Response:
        """Insert one row and say its id."""
        body: Any = request.data
        row = BareRow(text=body["text"])
        row.save()
        return Response({"id": row.pk}, status=201)


def make_table() -> None:
    """The table of the yardstick."""
    with connection.cursor() as cursor:
        cursor.execute("CREATE TABLE IF NOT EXISTS bench_bare_row (id bigserial PRIMARY KEY, text text NOT NULL)")


urlpatterns = [path("bench/bare", BareInsertView.as_view()), path("", include("tarneeb_service.urls"))]
