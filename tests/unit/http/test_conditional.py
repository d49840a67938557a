"""Entity tags and preferences."""

import pytest
from django.test import RequestFactory

from tarneeb_service.http.conditional import (
    EntityTag,
    EntityTags,
    if_match,
    if_none_match,
    version_tag,
    wait_seconds,
)
from tarneeb_service.http.errors import Invalid

ask = RequestFactory().get


@pytest.mark.parametrize(
    ("sent", "tags"),
    [
        ('"57"', (EntityTag("57"),)),
        ('W/"57"', (EntityTag("57", weak=True),)),
        ('"56", "57"', (EntityTag("56"), EntityTag("57"))),
        ('"56",W/"57" ,\t"58"', (EntityTag("56"), EntityTag("57", weak=True), EntityTag("58"))),
        (', ,"57", ,', (EntityTag("57"),)),
        ('"a,b"', (EntityTag("a,b"),)),
        ('""', (EntityTag(""),)),
        ('"W/"', (EntityTag("W/"),)),
    ],
)
def test_tags_are_read(sent: str, tags: tuple[EntityTag, ...]) -> None:
    assert if_match(ask("/", headers={"If-Match": sent})) == EntityTags(tags)
    assert if_none_match(ask("/", headers={"If-None-Match": sent})) == EntityTags(tags)


def test_no_header_is_no_condition_and_a_star_is_any() -> None:
    assert if_match(ask("/")) is None
    assert if_none_match(ask("/")) is None
    star = if_match(ask("/", headers={"If-Match": " * "}))
    assert star is not None
    assert star.match_strongly("57")
    assert star.match_weakly("57")


@pytest.mark.parametrize(
    "sent",
    ["", " ", ",", "57", '"57', '57"', '"56" "57"', '"56";"57"', 'w/"57"', '*, "57"', '"57", *', '"5 7"', "\u00f857"],
)
def test_a_condition_that_cannot_be_read_is_refused(sent: str) -> None:
    with pytest.raises(Invalid) as refused:
        if_match(ask("/", headers={"If-Match": sent}))
    assert refused.value.errors[0].field == "If-Match"
    with pytest.raises(Invalid) as refused:
        if_none_match(ask("/", headers={"If-None-Match": sent}))
    assert refused.value.errors[0].field == "If-None-Match"


def test_a_long_unreadable_condition_is_refused_without_trying_every_reading() -> None:
    with pytest.raises(Invalid):
        if_match(ask("/", headers={"If-Match": '"1"' + " , " * 2000 + "x"}))


def test_weak_tags_match_only_weakly() -> None:
    tags = EntityTags((EntityTag("57", weak=True), EntityTag("58")))
    assert not tags.match_strongly("57")
    assert tags.match_strongly("58")
    assert tags.match_weakly("57")
    assert not tags.match_weakly("59")


def test_a_version_is_a_quoted_tag() -> None:
    tags = if_match(ask("/", headers={"If-Match": version_tag(57)}))
    assert tags is not None
    assert tags.match_strongly("57")


@pytest.mark.parametrize(
    ("sent", "seconds"),
    [
        ("wait=25", 25),
        ("Wait = 25", 25),
        ('wait="25"', 25),
        ("respond-async, wait=25", 25),
        ("wait=25; foo=bar", 25),
        ("wait=0", 0),
        ("wait=999999", 60),
        ("wait=9999999999999999999999", 0),
        ("wait=-1", 0),
        ("wait=1.5", 0),
        ("wait=", 0),
        ("wait", 0),
        ("wait=\u0663", 0),
        ("await=25", 0),
        ("", 0),
    ],
)
def test_preferences_are_read_or_ignored(sent: str, seconds: int) -> None:
    assert wait_seconds(ask("/", headers={"Prefer": sent}), most=60) == seconds
