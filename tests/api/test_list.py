"""`GET /matches`: lists, their filters and their pages."""

from base64 import urlsafe_b64encode
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

from tests.api.callers import NOBODY, Answer, Caller, House, ids
from tests.api.conftest import Chance
from tests.api.games import Game
from tests.cast import CAST, OMAR, SALMA


def listed(caller: Caller, query: str = "") -> list[UUID]:
    """The ids of the one page that answers this query."""
    page = caller.get(f"matches?{query}").ok()
    assert page["next_cursor"] is None
    return ids(page)


def uuids(*matches: dict[str, Any]) -> list[UUID]:
    """The ids of these matches."""
    return [UUID(match["id"]) for match in matches]


def test_a_match_in_play_is_listed_exactly_so(north: House, chance: Chance) -> None:
    game = Game(north, target=41, turn_seconds=60, visibility="public").call("pass")
    page = north.backend.get("matches").ok()
    seen = north.backend.see(game.id)
    (match,) = page["matches"]
    assert page == {"matches": [match], "next_cursor": None}
    assert match == {
        "id": game.id,
        "status": "playing",
        "version": 8,
        "variant": "classic",
        "target": 41,
        "visibility": "public",
        "turn_seconds": 60,
        "seats": [{"seat": seat, "player": name, "team": seat % 2} for seat, name in enumerate(CAST)],
        "hand": 1,
        "totals": [0, 0],
        "turn": seen["turn"] | {"seconds_left": match["turn"]["seconds_left"]},
        "result": None,
        "previous_match": None,
        "next_match": None,
        "created_at": match["created_at"],
        "ended_at": None,
    }
    assert datetime.fromisoformat(match["created_at"]) < datetime.fromisoformat(seen["turn"]["since"])


def test_a_match_that_is_over_is_listed_with_its_result(north: House, chance: Chance) -> None:
    game = Game(north).call("13").name("C").play_out(hands=1)
    game.call("pass", "pass", "pass", "13").name("C").play_out()
    (match,) = north.backend.get("matches").ok()["matches"]
    assert match["status"] == "completed"
    assert match["result"] == {"winner": 0, "reason": "target", "totals": [52, 0]}
    assert (match["turn"], match["totals"], match["hand"]) == (None, [52, 0], 2)
    assert datetime.fromisoformat(match["ended_at"]) > datetime.fromisoformat(match["created_at"])


def test_only_taken_seats_are_listed(north: House) -> None:
    north.open_match([None, "basim"])
    (match,) = north.backend.get("matches").ok()["matches"]
    assert match["seats"] == [{"seat": 1, "player": "basim", "team": 1}]
    assert (match["status"], match["turn"], match["hand"]) == ("waiting", None, 0)


def test_newest_first(north: House) -> None:
    opened = [north.open_match([]) for _ in range(4)]
    assert listed(north.backend) == uuids(*reversed(opened))


def test_a_house_without_matches_has_an_empty_page(north: House) -> None:
    assert north.backend.get("matches").ok() == {"matches": [], "next_cursor": None}


def test_filter_by_status(north: House, chance: Chance) -> None:
    waiting = north.open_match([])
    playing = north.open_match()
    abandoned = north.open_match()
    north.backend.post(f"matches/{abandoned['id']}/abandon", {"reason": "rain"}).ok()
    done = Game(north).call("13").name("C").play_out(hands=1).call("pass", "pass", "pass", "13").name("C").play_out()
    for status, match in (("waiting", waiting), ("playing", playing), ("abandoned", abandoned)):
        assert listed(north.backend, f"status={status}") == uuids(match)
    assert listed(north.backend, "status=completed") == [done.uuid]
    assert listed(north.backend, "status=voided") == []


def test_filter_by_player_finds_the_matches_they_sit_in(north: House) -> None:
    with_amal = north.open_match(["amal"])
    with_both = north.open_match(["basim", "amal"])
    north.open_match(["basim"])
    assert listed(north.backend, "player=amal") == uuids(with_both, with_amal)
    assert listed(north.backend, "player=nobody") == []
    assert listed(north.backend, "player=") == []
    north.player("amal").delete(f"matches/{with_amal['id']}/seats/0").ok()
    assert listed(north.backend, "player=amal") == uuids(with_both)


def test_filter_by_a_name_in_arabic(north: House) -> None:
    match = north.open_match(["أمل"])
    assert listed(north.backend, "player=%D8%A3%D9%85%D9%84") == uuids(match)


def test_filter_by_variant(north: House) -> None:
    egyptian = north.open_match(variant="egyptian")
    north.open_match()
    assert listed(north.backend, "variant=egyptian") == uuids(egyptian)
    assert listed(north.backend, "variant=eram") == []


def test_filter_by_creation(north: House) -> None:
    older, newer = north.open_match(), north.open_match()
    moments = {m["id"]: m["created_at"] for m in north.backend.get("matches").ok()["matches"]}
    assert listed(north.backend, f"created_after={moments[older['id']]}") == uuids(newer)
    assert listed(north.backend, f"created_after={moments[newer['id']]}") == []
    before = datetime.fromisoformat(moments[older["id"]]) - timedelta(microseconds=1)
    for zone in ("+00:00", "%2B00:00"):
        text = before.astimezone(UTC).isoformat().replace("+00:00", zone)
        assert listed(north.backend, f"created_after={text}") == uuids(newer, older)


@pytest.mark.parametrize(
    ("moment", "found"),
    [
        ("0001-01-01T00:00:00Z", 1),
        ("0001-01-01T23:59:59%2B23:59", 1),
        ("2026-01-01T00:00:00-22:22", 1),
        ("2026-01-01T00:00:00%2B00:00:00.5", 1),
        ("9999-12-31T23:59:59.999999Z", 0),
    ],
)
def test_times_at_the_edge_of_time(north: House, moment: str, found: int) -> None:
    north.open_match([])
    assert len(listed(north.backend, f"created_after={moment}")) == found


def test_filters_are_and_ed(north: House) -> None:
    wanted = north.open_match(["amal"], variant="lebanese")
    north.open_match(["amal"])
    north.open_match(["basim"], variant="lebanese")
    assert listed(north.backend, "player=amal&variant=lebanese&status=waiting") == uuids(wanted)
    assert listed(north.backend, "player=amal&variant=lebanese&status=playing") == []


def pages(caller: Caller, query: str) -> list[list[UUID]]:
    """All pages of a query."""
    found = []
    cursor = ""
    while True:
        page = caller.get(f"matches?{query}{cursor}").ok()
        found.append(ids(page))
        if page["next_cursor"] is None:
            return found
        cursor = f"&cursor={page['next_cursor']}"


def test_pages_follow_each_other_without_gap_or_repeat(north: House) -> None:
    opened = [UUID(north.open_match([])["id"]) for _ in range(7)][::-1]
    assert pages(north.backend, "limit=3") == [opened[:3], opened[3:6], opened[6:]]
    assert pages(north.backend, "limit=7") == [opened]
    assert pages(north.backend, "limit=1") == [[match] for match in opened]


def test_pages_stand_still_while_new_matches_are_opened(north: House) -> None:
    opened = [UUID(north.open_match([])["id"]) for _ in range(4)][::-1]
    first = north.backend.get("matches?limit=2").ok()
    late = [UUID(north.open_match([])["id"]) for _ in range(3)]
    second = north.backend.get(f"matches?limit=2&cursor={first['next_cursor']}").ok()
    assert ids(first) + ids(second) == opened
    assert second["next_cursor"] is None
    assert not set(late) & set(ids(second))


def test_a_page_keeps_its_filters(north: House) -> None:
    theirs = [UUID(north.open_match(["amal"])["id"]) for _ in range(3)][::-1]
    north.open_match(["basim"])
    assert pages(north.backend, "limit=2&player=amal") == [theirs[:2], theirs[2:]]


def test_a_page_has_fifty_matches_unless_asked(north: House) -> None:
    for _ in range(51):
        north.open_match([])
    page = north.backend.get("matches").ok()
    assert (len(page["matches"]), page["next_cursor"] is None) == (50, False)


def other_cursor(text: str) -> str:
    """A cursor as the service would write it, of something else."""
    return urlsafe_b64encode(text.encode()).rstrip(b"=").decode()


@pytest.mark.parametrize(
    ("query", "field", "code"),
    [
        ("status=over", "status", "invalid_choice"),
        ("status=", "status", "invalid_choice"),
        ("variant=bridge", "variant", "invalid_choice"),
        ("limit=0", "limit", "out_of_range"),
        ("limit=201", "limit", "out_of_range"),
        ("limit=-1", "limit", "out_of_range"),
        ("limit=ten", "limit", "invalid"),
        ("limit=1.0", "limit", "invalid"),
        ("limit=%D9%A7", "limit", "invalid"),
        ("limit=" + "9" * 5000, "limit", "invalid"),
        ("created_after=yesterday", "created_after", "invalid"),
        ("created_after=2026-01-01", "created_after", "invalid"),
        ("created_after=2026-01-01T00:00:00", "created_after", "invalid"),
        ("created_after=2026-13-01T00:00:00Z", "created_after", "invalid"),
        ("created_after=", "created_after", "invalid"),
        ("created_after=0001-01-01T00:00:00%2B14:00", "created_after", "invalid"),
        ("created_after=9999-12-31T23:59:59-14:00", "created_after", "invalid"),
        ("cursor=", "cursor", "invalid"),
        ("cursor=%FF", "cursor", "invalid"),
        ("cursor=nonsense", "cursor", "invalid"),
        ("cursor=" + "a" * 600, "cursor", "invalid"),
        ("cursor=" + other_cursor("[1,2]"), "cursor", "invalid"),
        ("cursor=" + other_cursor('"01900000"'), "cursor", "invalid"),
        ("order=oldest", "order", "unknown_field"),
        ("seat=1&page=2", "page", "unknown_field"),
        ("player=%00", "query", "nul_character"),
    ],
)
def test_a_query_that_cannot_be_read(north: House, query: str, field: str, code: str) -> None:
    assert north.backend.get(f"matches?{query}").fields()[field] == code


@pytest.mark.parametrize("query", ["player=%FF", "player=" + "x" * 2000, "player=%F0%9F%98%80", "player=%E2%80%8F"])
def test_a_player_nobody_knows_sits_nowhere(north: House, query: str) -> None:
    north.open_match()
    assert listed(north.backend, query) == []


def test_private_matches_are_listed_to_their_players_the_tenant_and_moderators(north: House) -> None:
    private = UUID(north.open_match(["amal"], visibility="private")["id"])
    open_one = UUID(north.open_match(["amal"])["id"])
    for caller in (north.player("amal"), north.backend, north.moderator()):
        assert listed(caller) == [open_one, private]
    for query in ("", "player=amal", "status=waiting"):
        assert listed(north.player(SALMA), query) == [open_one]


def test_another_tenants_matches_are_not_listed(north: House, south: House) -> None:
    theirs, ours = north.open_match(visibility="public"), south.open_match()
    assert listed(north.backend) == uuids(theirs)
    assert listed(south.backend) == uuids(ours)
    assert listed(south.player("amal"), "player=amal") == uuids(ours)
    cursor = other_cursor(f'"{theirs["id"]}"')
    assert listed(south.backend, f"cursor={cursor}") == []


def test_what_a_delayed_spectator_may_not_know_is_null(north: House, chance: Chance) -> None:
    game = Game(north, spectator_delay_seconds=3600, turn_seconds=60)
    game.call("13").name("C").play_out(hands=1)
    (match,) = north.player(SALMA).get("matches").ok()["matches"]
    hidden = ("version", "hand", "totals", "turn", "result", "ended_at")
    assert {name: match[name] for name in hidden} == dict.fromkeys(hidden)
    assert match["status"] == "playing"
    for caller in (north.player("amal"), north.backend, north.moderator()):
        (match,) = caller.get("matches").ok()["matches"]
        assert (match["totals"], match["hand"]) == ([26, 0], 2)


def test_no_filter_tells_a_delayed_spectator_that_the_match_is_over(north: House) -> None:
    game = Game(north, spectator_delay_seconds=3600)
    north.backend.post(f"matches/{game.id}/abandon", {"reason": "rain"}).ok()
    assert listed(north.player(SALMA), "status=abandoned") == []
    assert listed(north.player(SALMA), "status=playing") == [game.uuid]
    assert listed(north.player("amal"), "status=abandoned") == [game.uuid]
    assert listed(north.backend, "status=abandoned") == [game.uuid]


def test_who_may_list(north: House) -> None:
    north.open_match()
    assert len(listed(north.with_scopes("read"))) == len(listed(north.player(OMAR))) == 1
    refused: list[tuple[Answer, int, str]] = [
        (NOBODY.get("matches"), 401, "not_authenticated"),
        (north.with_scopes("play").get("matches"), 403, "forbidden"),
    ]
    for answer, status, code in refused:
        answer.problem(status, code)
