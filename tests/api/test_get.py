"""`GET /matches/{id}`: the match as this viewer may see it, and whether it has changed."""

import json
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import pytest
import time_machine

from matches import names
from tarneeb_service.access.models import Player
from tarneeb_service.access.services import erase_player
from tests.api.callers import House
from tests.api.conftest import Chance
from tests.api.games import Game
from tests.cast import CAST, OMAR, SALMA, holdings_with

HOLDINGS = (
    "AC KC QC JC 2H 3H 4H 5H 6D 7D 8D 9D TD",
    "2D 3D 4D 5D TC 9C 8C 7C 6C 6H 7H 8H 9H",
    "AH KH QH JH TH AS KS QS JS TS AD KD QD",
    "3S 4S 2S 5S 6S 7S 8S 9S JD 2C 3C 4C 5C",
)


@pytest.fixture
def known_cards(chance: Chance) -> Chance:
    """Every deal is HOLDINGS; amal in seat 0 speaks first."""
    chance.holdings = holdings_with(*HOLDINGS)
    return chance


def test_a_match_in_play_is_shown_exactly_so(north: House, known_cards: Chance) -> None:
    game = Game(north, target=41, turn_seconds=30, visibility="public")
    game.call("pass", "8", "9", "pass", "pass").name("H").play("AH 3S 2H 6H KH 4S")
    answer = north.player("amal").get(game.path)
    seen = answer.ok()
    assert seen == {
        "id": game.id,
        "status": "playing",
        "version": 19,
        "variant": "classic",
        "rules": {
            "variant": "classic",
            "target": 41,
            "direction": "counterclockwise",
            "deal_style": "one_by_one",
            "no_trumps": True,
            "auction": "ascending",
            "dealer_may_match": False,
            "dealer_must_bid": False,
            "doubling": False,
            "double_defenders": False,
        },
        "turn_seconds": 30,
        "visibility": "public",
        "auto_rematch": False,
        "spectator_delay_seconds": 0,
        "deal_anchor": seen["deal_anchor"],
        "seats": [
            {"seat": 0, "player": "amal", "team": 0, "connected": False, "absent": False, "cards_left": 12},
            {"seat": 1, "player": "basim", "team": 1, "connected": False, "absent": False, "cards_left": 12},
            {"seat": 2, "player": "carla", "team": 0, "connected": False, "absent": False, "cards_left": 11},
            {"seat": 3, "player": "dina", "team": 1, "connected": False, "absent": False, "cards_left": 11},
        ],
        "totals": [0, 0],
        "hand": {
            "number": 1,
            "deal": 1,
            "dealer": 3,
            "phase": "play",
            "calls": [
                {"seat": 0, "type": "pass"},
                {"seat": 1, "type": "bid", "tricks": 8},
                {"seat": 2, "type": "bid", "tricks": 9},
                {"seat": 3, "type": "pass"},
                {"seat": 1, "type": "pass"},
            ],
            "highest_bid": {"seat": 2, "tricks": 9, "trump": None},
            "doubled_by": None,
            "contract": {"declarer": 2, "tricks": 9, "trump": "H", "doubled": False},
            "trick": {
                "number": 2,
                "leader": 2,
                "plays": [{"seat": 2, "card": "KH"}, {"seat": 3, "card": "4S"}],
            },
            "last_trick": {
                "number": 1,
                "leader": 2,
                "plays": [
                    {"seat": 2, "card": "AH"},
                    {"seat": 3, "card": "3S"},
                    {"seat": 0, "card": "2H"},
                    {"seat": 1, "card": "6H"},
                ],
                "winner": 2,
            },
            "tricks_won": [1, 0],
        },
        "turn": {
            "seat": 0,
            "since": seen["turn"]["since"],
            "deadline": seen["turn"]["deadline"],
            "seconds_left": seen["turn"]["seconds_left"],
        },
        "server_now": seen["server_now"],
        "you": {
            "seat": 0,
            "holding": ["JC", "QC", "KC", "AC", "6D", "7D", "8D", "9D", "TD", "3H", "4H", "5H"],
            "legal_actions": [{"type": "play", "card": card} for card in ("3H", "4H", "5H")],
        },
        "result": None,
        "previous_match": None,
        "next_match": None,
    }
    assert answer.etag == '"19"'
    assert answer.headers["Cache-Control"] == "private, no-cache"
    assert {"Authorization", "X-Player"} <= set(answer.headers["Vary"].split(", "))


def test_each_seat_sees_its_own_cards_and_nobody_elses(north: House, known_cards: Chance) -> None:
    game = Game(north)
    game.call("pass", "8", "9", "pass", "pass").name("H").play("AH 3S")
    played = {"AH", "3S"}
    for seat, caller in enumerate(north.four):
        seen = caller.see(game.id)
        own = set(HOLDINGS[seat].split())
        assert (seen["you"]["seat"], set(seen["you"]["holding"])) == (seat, own - played)
        assert bool(seen["you"]["legal_actions"]) == (seat == 0)
        assert cards_named(seen) <= own | played
    for caller in (north.player(SALMA), north.backend, north.moderator()):
        seen = caller.see(game.id)
        assert seen["you"] is None
        assert cards_named(seen) == played


def cards_named(document: Any) -> set[str]:
    """Every string in a JSON document that is a card."""
    if isinstance(document, dict):
        return set().union(*map(cards_named, document.values()), cards_named(list(document)))
    if isinstance(document, list):
        return set().union(*map(cards_named, document))
    is_card = isinstance(document, str) and len(document) == 2 and document[0] in "23456789TJQKA"
    return {document} if is_card and document[1] in "CDHS" else set()


def test_whoever_sees_the_same_sees_the_same_bytes(north: House, known_cards: Chance) -> None:
    game = Game(north, visibility="public")
    with time_machine.travel(datetime.now(UTC), tick=False):
        one, two = north.player(SALMA).see(game.id), north.backend.see(game.id)
    del one["server_now"], two["server_now"]
    assert json.dumps(one) == json.dumps(two)


def test_the_clock_of_a_turn_runs_down(north: House) -> None:
    game = Game(north, turn_seconds=86400)
    turn = north.backend.see(game.id)["turn"]
    since, deadline = (datetime.fromisoformat(turn[name]) for name in ("since", "deadline"))
    assert (deadline - since).total_seconds() == 86400
    assert 86000 < turn["seconds_left"] <= 86400
    game.call("pass")
    assert datetime.fromisoformat(north.backend.see(game.id)["turn"]["since"]) > since


def test_a_bid_that_names_its_suit_is_shown_with_it(north: House, chance: Chance) -> None:
    game = Game(north, variant="egyptian").call("8H", "double")
    hand = north.backend.see(game.id)["hand"]
    assert hand["calls"] == [
        {"seat": 0, "type": "bid", "tricks": 8, "trump": "H"},
        {"seat": 1, "type": "double"},
    ]
    assert hand["highest_bid"] == {"seat": 0, "tricks": 8, "trump": "H"}
    assert hand["doubled_by"] == 1
    assert hand["contract"] is None


def test_naming_trump_is_a_phase_of_its_own(north: House, chance: Chance) -> None:
    game = Game(north).call("7", "pass", "pass", "pass")
    seen = north.player("amal").see(game.id)
    assert (seen["hand"]["phase"], seen["turn"]["seat"]) == ("naming_trump", 0)
    assert seen["you"]["legal_actions"] == [
        {"type": "name_trump", "trump": trump} for trump in ("C", "D", "H", "S", "NT")
    ]
    assert (seen["hand"]["contract"], seen["hand"]["trick"]) == (None, None)


def test_a_hand_thrown_in_is_dealt_anew_by_the_same_dealer(north: House, chance: Chance) -> None:
    game = Game(north).call("pass", "pass", "pass", "pass")
    hand = north.backend.see(game.id)["hand"]
    assert (hand["number"], hand["deal"], hand["dealer"], hand["calls"]) == (1, 2, 3, [])


def test_after_a_hand_the_next_is_dealt_and_the_totals_stand(north: House, chance: Chance) -> None:
    game = Game(north).call("7", "pass", "pass", "pass").name("C").play_out(hands=1)
    seen = north.backend.see(game.id)
    assert seen["totals"] == [16, 0]
    assert (seen["hand"]["number"], seen["hand"]["dealer"], seen["hand"]["phase"]) == (2, 0, "auction")


def test_a_match_that_is_over_has_a_result_and_no_turn(north: House, chance: Chance) -> None:
    game = Game(north).call("13").name("C").play_out(hands=1)
    game.call("pass", "pass", "pass", "13").name("C").play_out()
    seen = north.player("amal").see(game.id)
    assert seen["status"] == "completed"
    assert seen["result"] == {"winner": 0, "reason": "target", "totals": [52, 0]}
    assert (seen["turn"], seen["totals"]) == (None, [52, 0])
    assert seen["you"] == {"seat": 0, "holding": [], "legal_actions": []}
    assert seen["hand"]["trick"] is None
    assert seen["hand"]["tricks_won"] == [13, 0]


def test_not_modified_while_the_version_stands(north: House) -> None:
    game = Game(north)
    first = north.player("amal").get(game.path)
    again = north.player("amal").get(game.path, headers={"If-None-Match": first.etag})
    assert (again.status, again.body, again.etag) == (304, b"", first.etag)
    game.act(game.legal()[0])
    changed = north.player("amal").get(game.path, headers={"If-None-Match": first.etag})
    assert changed.ok()["version"] == game.version
    assert changed.etag == f'"{game.version}"'


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        ('"7"', 304),
        ('W/"7"', 304),
        ('"1", "7"', 304),
        ("*", 304),
        ('"8"', 200),
        ('"07"', 200),
        ('"other"', 200),
        ('"' + "7" * 5000 + '"', 200),
        ("7", 400),
        ('"7', 400),
        ("", 400),
        (",", 400),
    ],
)
def test_what_if_none_match_may_say(north: House, sent: str, status: int) -> None:
    match = north.open_match()
    assert match["version"] == 7
    answer = north.backend.get(f"matches/{match['id']}", headers={"If-None-Match": sent})
    assert answer.status == status
    if status == 400:
        assert answer.fields() == {"If-None-Match": "invalid"}


def test_head_answers_as_get_without_a_body(north: House) -> None:
    game = Game(north)
    answer = north.backend.ask("HEAD", game.path)
    assert (answer.status, answer.body, answer.etag) == (200, b"", '"7"')


def test_a_name_that_was_erased_is_shown_no_more(north: House) -> None:
    game = Game(north)
    erase_player(ref=Player.objects.get(tenant=north.tenant, external_id="amal").ref)
    names.forget()
    assert [seat["player"] for seat in north.backend.see(game.id)["seats"]] == ["erased player", *CAST[1:]]


def test_what_is_not_there_is_not_found(north: House, south: House) -> None:
    game = Game(north)
    north.backend.get(f"matches/{uuid4()}").problem(404, "not_found")
    for caller in (south.backend, south.player("amal"), south.moderator()):
        caller.get(game.path).problem(404, "not_found")


def test_a_private_match_is_there_for_its_players_the_tenant_and_moderators_only(north: House) -> None:
    game = Game(north, visibility="private")
    for caller in (*north.four, north.backend, north.moderator()):
        caller.get(game.path).ok()
    for name in (SALMA, OMAR):
        north.player(name).get(game.path).problem(404, "not_found")


@pytest.mark.parametrize("visibility", ["tenant", "public"])
def test_other_matches_may_be_watched(north: House, visibility: str) -> None:
    game = Game(north, visibility=visibility)
    assert north.player(SALMA).see(game.id)["you"] is None


def test_it_takes_the_scope_read(north: House) -> None:
    game = Game(north)
    north.with_scopes("read", player="amal").get(game.path).ok()
    assert north.with_scopes("play", "manage").get(game.path).problem(403, "forbidden")["required_scope"] == "read"
