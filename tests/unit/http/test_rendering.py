"""JSON out."""

import json
from datetime import UTC, datetime, timedelta, timezone
from uuid import UUID

import pytest
from django.utils.translation import gettext_lazy
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Struct
from rest_framework.exceptions import ErrorDetail

from tarneeb_service.http.rendering import encode_json, rfc3339

RIYADH = timezone(timedelta(hours=3))


class Moment(Struct):
    """Something with times in it."""

    at: datetime
    others: tuple[datetime, ...] = ()


@pytest.mark.parametrize(
    ("moment", "written"),
    [
        (datetime(2026, 1, 2, 3, 4, 5, 678901, tzinfo=UTC), "2026-01-02T03:04:05.678901Z"),
        (datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC), "2026-01-02T03:04:05.000000Z"),
        (datetime(2026, 1, 2, 3, 4, 5, 7, tzinfo=RIYADH), "2026-01-02T00:04:05.000007Z"),
        (datetime(2026, 1, 2, 3, 4, 5, tzinfo=RIYADH), "2026-01-02T00:04:05.000000Z"),
        (datetime(996, 1, 2, tzinfo=UTC), "0996-01-02T00:00:00.000000Z"),
    ],
)
def test_times_have_one_form_wherever_they_stand(moment: datetime, written: str) -> None:
    assert rfc3339(moment) == written
    assert json.loads(encode_json({"a": [moment], "b": Moment(moment, (moment,))})) == {
        "a": [written],
        "b": {"at": written, "others": [written]},
    }


@given(st.datetimes(min_value=datetime(1000, 1, 1), timezones=st.sampled_from([UTC, RIYADH])))  # noqa: DTZ001  hypothesis adds the zone
def test_every_time_reads_back_as_itself(moment: datetime) -> None:
    (written,) = json.loads(encode_json([moment]))
    assert len(written) == 27
    assert datetime.fromisoformat(written) == moment


def test_a_time_without_a_zone_is_an_error_of_ours() -> None:
    with pytest.raises(TypeError, match="without a zone"):
        encode_json({"at": datetime(2026, 1, 2)})  # noqa: DTZ001  that is the point


def test_text_that_looks_like_a_time_is_left_alone() -> None:
    text = "2026-01-02T03:04:05Z"
    assert json.loads(encode_json({"entropy": text, "at": datetime(2026, 1, 2, tzinfo=UTC)})) == {
        "entropy": text,
        "at": "2026-01-02T00:00:00.000000Z",
    }


def test_arabic_ids_lazy_texts_and_subclasses_of_text_are_written_as_text() -> None:
    value = {"لاعب": "أمل", "id": UUID(int=7), "lazy": gettext_lazy("trick"), "code": ErrorDetail("no", code="invalid")}
    assert encode_json(value).decode() == (
        '{"لاعب":"أمل","id":"00000000-0000-0000-0000-000000000007","lazy":"trick","code":"no"}'
    )


def test_what_has_no_form_is_refused_rather_than_guessed() -> None:
    with pytest.raises(TypeError, match="object has no form"):
        encode_json({"thing": object()})
