"""Sitting down, getting up, starting, and being replaced."""

import pytest

from matches.engine.commands import SYSTEM, LeaveSeat, ReplacePlayer, StartMatch, TakeSeat
from matches.engine.errors import (
    AlreadySeated,
    MatchFull,
    MatchNotStarted,
    MatchOver,
    SeatEmpty,
    SeatTaken,
    UnknownSeat,
    WrongPhase,
)
from matches.engine.events import MatchStarted, PlayerReplaced, SeatLeft
from matches.engine.events import SeatTaken as SeatTakenEvent
from matches.engine.state import Dealing, Waiting
from tests.cast import CAST, OMAR, SALMA, TENANT, EngineMatch, player, whole_suits

ENTROPY = "ab" * 32


def sitting(match: EngineMatch) -> list[str | None]:
    """Who holds the seats."""
    return list(match.state.table.players)


def test_a_seat_is_taken_with_the_players_entropy() -> None:
    match = EngineMatch("classic", seated=0)
    assert match.give(player(None), TakeSeat(2, "carla", ENTROPY)) == (SeatTakenEvent(2, "carla", ENTROPY),)
    assert isinstance(match.state, Waiting)
    assert sitting(match) == [None, None, "carla", None]
    assert match.state.table.entropies == (None, None, ENTROPY, None)


def test_the_seats_can_be_taken_in_any_order_and_the_fourth_does_not_start_it_by_itself() -> None:
    match = EngineMatch("classic", seated=0)
    for seat in (3, 0, 2, 1):
        match.refused(MatchNotStarted, SYSTEM, StartMatch(0))
        match.give(SYSTEM, TakeSeat(seat, CAST[seat]))
    assert isinstance(match.state, Waiting)
    assert sitting(match) == list(CAST)
    assert match.give(SYSTEM, StartMatch(3)) == (MatchStarted(3),)
    assert isinstance(match.state, Dealing)


def test_a_seat_taken_is_not_to_be_had() -> None:
    match = EngineMatch("classic", seated=2)
    error = match.refused(SeatTaken, player(None), TakeSeat(1, OMAR))
    assert (error.code, error.explanation()) == ("seat_taken", {"seat": 1})


@pytest.mark.parametrize("seat", [0, 1, 3])
def test_nobody_sits_twice_nor_takes_their_own_seat_again(seat: int) -> None:
    match = EngineMatch("classic", seated=2)
    error = match.refused(AlreadySeated, player(None), TakeSeat(seat, "basim"))
    assert (error.code, error.explanation()) == ("already_seated", {"seat": 1})


def test_a_full_match_takes_nobody() -> None:
    match = EngineMatch("classic")
    error = match.refused(MatchFull, player(None), TakeSeat(2, OMAR))
    assert error.code == "match_full"
    match.deal()
    match.refused(MatchFull, player(None), TakeSeat(2, OMAR))


def test_a_seat_left_is_free_for_another() -> None:
    match = EngineMatch("classic", seated=3)
    assert match.give(player(1), LeaveSeat(1)) == (SeatLeft(1, "basim"),)
    assert sitting(match) == ["amal", None, "carla", None]
    assert match.state.table.entropies[1] is None
    match.give(player(None), TakeSeat(1, OMAR))
    match.give(player(None), TakeSeat(3, "basim"))
    assert sitting(match) == ["amal", OMAR, "carla", "basim"]


def test_the_tenant_frees_a_seat() -> None:
    match = EngineMatch("classic", seated=3)
    assert match.give(TENANT, LeaveSeat(2)) == (SeatLeft(2, "carla"),)


def test_an_empty_seat_cannot_be_left() -> None:
    match = EngineMatch("classic", seated=3)
    error = match.refused(SeatEmpty, TENANT, LeaveSeat(3))
    assert (error.code, error.explanation()) == ("seat_empty", {"seat": 3})


def test_nobody_leaves_after_the_start() -> None:
    match = EngineMatch("classic")
    match.refused(WrongPhase, player(1), LeaveSeat(1))
    match.deal()
    match.refused(WrongPhase, TENANT, LeaveSeat(1))


@pytest.mark.parametrize("seat", [-1, 4, 99])
def test_there_are_no_seats_but_four(seat: int) -> None:
    match = EngineMatch("classic", seated=2)
    for command in (TakeSeat(seat, OMAR), LeaveSeat(seat)):
        match.refused(UnknownSeat, TENANT, command)
    full = EngineMatch("classic", started=False)
    full.refused(UnknownSeat, SYSTEM, StartMatch(seat))
    full.give(SYSTEM, StartMatch(0))
    full.refused(UnknownSeat, TENANT, ReplacePlayer(seat, OMAR))


def test_another_player_takes_over_a_seat_in_the_middle_of_a_hand() -> None:
    match = EngineMatch("classic")
    match.deal(whole_suits())
    match.calls("7")
    before = match.state
    assert match.give(TENANT, ReplacePlayer(2, SALMA)) == (PlayerReplaced(2, SALMA, "carla"),)
    assert sitting(match) == ["amal", "basim", SALMA, "dina"]
    assert type(match.state) is type(before)
    assert match.turn == 2
    assert match.holding(2) == whole_suits()[2]
    match.calls("8")


def test_between_two_hands_a_player_can_be_replaced_too() -> None:
    match = EngineMatch("classic")
    match.give(TENANT, ReplacePlayer(0, SALMA))
    assert match.state.table.players[0] == SALMA
    match.hand_of(declarer=0, bid=7, trump="C")
    match.give(TENANT, ReplacePlayer(0, OMAR))
    assert match.state.table.players[0] == OMAR
    assert match.state.table.totals == (16, 0)


@pytest.mark.parametrize("who", ["amal", "carla"])
def test_who_is_seated_cannot_replace_anybody(who: str) -> None:
    match = EngineMatch("classic")
    error = match.refused(AlreadySeated, TENANT, ReplacePlayer(2, who))
    assert error.explanation() == {"seat": CAST.index(who)}


def test_nobody_is_replaced_before_the_start_or_after_the_end() -> None:
    waiting = EngineMatch("classic", started=False)
    waiting.refused(MatchNotStarted, TENANT, ReplacePlayer(0, OMAR))
    match = EngineMatch("classic")
    match.hand_of(declarer=0, bid=13, trump="C")
    match.hand_of(declarer=0, bid=13, trump="C")
    match.refused(MatchOver, TENANT, ReplacePlayer(0, OMAR))
