"""Who may give which command, and in which order what is wrong with one is told."""

from collections.abc import Callable
from typing import get_args

import pytest

from matches.engine import decide, rules_for
from matches.engine.commands import (
    SYSTEM,
    AbandonMatch,
    Actor,
    ActorKind,
    AdjustScore,
    Command,
    CreateMatch,
    Deal,
    Double,
    LeaveSeat,
    NameTrump,
    Pass,
    PlaceBid,
    PlayCard,
    ReplacePlayer,
    StartMatch,
    TakeSeat,
    VoidMatch,
)
from matches.engine.errors import (
    AlreadyPassed,
    BidOutOfRange,
    MatchNotStarted,
    MatchOver,
    NotAllowed,
    NotSeated,
    NotYourTurn,
    WrongPhase,
)
from matches.engine.room import Room
from matches.engine.state import State
from tests.cast import ANCHOR, MODERATOR, OMAR, SALT, TENANT, EngineMatch, clock, player, shuffled, whole_suits

KINDS: tuple[ActorKind, ...] = get_args(ActorKind)

MAY: dict[type[Command], set[ActorKind]] = {
    CreateMatch: {"tenant", "system", "player"},
    TakeSeat: {"player", "tenant", "system"},
    LeaveSeat: {"player", "tenant"},
    StartMatch: {"system"},
    Deal: {"system"},
    PlaceBid: {"player", "clock"},
    Pass: {"player", "clock"},
    Double: {"player", "clock"},
    NameTrump: {"player", "clock"},
    PlayCard: {"player", "clock"},
    ReplacePlayer: {"tenant"},
    AbandonMatch: {"tenant", "clock", "system"},
    VoidMatch: {"moderator"},
    AdjustScore: {"moderator"},
}


def at_the_auction(*calls: str, variant: str = "classic") -> State:
    match = EngineMatch(variant)
    match.deal(whole_suits())
    match.calls(*calls)
    return match.state


def in_play() -> State:
    match = EngineMatch("classic")
    match.deal(whole_suits())
    match.calls("13")
    match.name("D")
    return match.state


def completed() -> State:
    match = EngineMatch("classic")
    match.hand_of(declarer=1, bid=13, trump="D")
    match.hand_of(declarer=1, bid=13, trump="D")
    return match.state


SITUATIONS: dict[type[Command], Callable[[], tuple[State | None, Command]]] = {
    CreateMatch: lambda: (None, CreateMatch(rules_for("classic"), Room(), ANCHOR)),
    TakeSeat: lambda: (EngineMatch("classic", seated=2).state, TakeSeat(2, OMAR)),
    LeaveSeat: lambda: (EngineMatch("classic", seated=2).state, LeaveSeat(1)),
    StartMatch: lambda: (EngineMatch("classic", started=False).state, StartMatch(0)),
    Deal: lambda: (EngineMatch("classic").state, Deal(shuffled(0), SALT)),
    PlaceBid: lambda: (at_the_auction(), PlaceBid(7)),
    Pass: lambda: (at_the_auction(), Pass()),
    Double: lambda: (at_the_auction("pass", "pass", "pass", "7H", variant="egyptian"), Double()),
    NameTrump: lambda: (at_the_auction("13"), NameTrump("D")),
    PlayCard: lambda: (in_play(), PlayCard("2D")),
    ReplacePlayer: lambda: (at_the_auction(), ReplacePlayer(1, OMAR)),
    AbandonMatch: lambda: (at_the_auction(), AbandonMatch("everybody went home")),
    VoidMatch: lambda: (at_the_auction(), VoidMatch("two of them were one")),
    AdjustScore: lambda: (completed(), AdjustScore((0, -5), "an agreed correction")),
}
"""A state in which some actor may give a command of this class, and the command. Seat 1 is to act or acted upon."""


def test_the_table_of_commands_is_whole() -> None:
    named = {kind for member in get_args(Command) for kind in (get_args(member) or (member,))}
    assert named == set(MAY) == set(SITUATIONS)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("command", MAY, ids=lambda command: command.__name__)
def test_a_command_is_taken_from_its_actors_and_from_no_others(command: type[Command], kind: ActorKind) -> None:
    state, wish = SITUATIONS[command]()
    actor = Actor(kind, 1 if kind in {"player", "clock"} else None)
    if kind in MAY[command]:
        assert decide(state, actor, wish)
        return
    with pytest.raises(NotAllowed) as refusal:
        decide(state, actor, wish)
    assert refusal.value.code == "forbidden"
    assert refusal.value.explanation()["actor"] == kind


@pytest.mark.parametrize("action", [PlaceBid(7), Pass(), Double(), NameTrump("D"), PlayCard("2D")])
@pytest.mark.parametrize("kind", ["tenant", "moderator", "system"])
def test_nobody_acts_for_a_player_by_naming_a_seat(kind: ActorKind, action: Command) -> None:
    match = EngineMatch("classic")
    match.deal()
    match.refused(NotAllowed, Actor(kind, 1), action)


@pytest.mark.parametrize("action", [PlaceBid(7), Pass(), Double(), NameTrump("D"), PlayCard("2D")])
def test_a_player_without_a_seat_cannot_act(action: Command) -> None:
    match = EngineMatch("classic")
    match.deal()
    assert match.refused(NotSeated, player(None), action).code == "not_seated"


@pytest.mark.parametrize("seat", [0, 2, 3])
def test_a_player_leaves_no_seat_but_their_own(seat: int) -> None:
    match = EngineMatch("classic", started=False)
    match.refused(NotAllowed, player(1), LeaveSeat(seat))


def test_a_match_not_started_is_told_before_anything_else() -> None:
    match = EngineMatch("classic", seated=3)
    for action in (PlaceBid(99), Pass(), Double(), NameTrump("D"), PlayCard("AS")):
        match.refused(MatchNotStarted, player(0), action)
        match.refused(MatchNotStarted, player(None), action)
    error = match.refused(MatchNotStarted, player(3), PlaceBid(7))
    assert (error.code, error.explanation()) == ("match_not_started", {"phase": "waiting"})
    match.refused(MatchNotStarted, SYSTEM, StartMatch(0))
    match.refused(MatchNotStarted, SYSTEM, Deal(shuffled(0), SALT))


def test_a_match_over_is_told_before_anything_else() -> None:
    match = EngineMatch("classic")
    match.deal()
    match.give(TENANT, AbandonMatch("rain"))
    for action in (PlaceBid(99), Pass(), Double(), NameTrump("D"), PlayCard("AS")):
        match.refused(MatchOver, player(3), action)
        match.refused(MatchOver, player(None), action)
        match.refused(MatchOver, clock(0), action)
    error = match.refused(MatchOver, player(3), Pass())
    assert (error.code, error.explanation()) == ("match_over", {"phase": "over"})


@pytest.mark.parametrize("deal_due", [True, False])
def test_between_two_hands_nobody_can_act(*, deal_due: bool) -> None:
    match = EngineMatch("classic")
    if not deal_due:
        match.hand_of(declarer=0, bid=7, trump="C")
    for seat in range(4):
        error = match.refused(WrongPhase, player(seat), Pass())
        assert error.explanation() == {"phase": "dealing"}


def test_having_passed_is_told_before_whose_turn_it_is() -> None:
    match = EngineMatch("classic")
    match.deal()
    match.calls("pass")
    match.refused(AlreadyPassed, player(1), PlaceBid(99))
    match.refused(AlreadyPassed, player(1), Pass())


def test_whose_turn_it_is_is_told_before_the_phase_and_the_phase_before_the_bid() -> None:
    match = EngineMatch("classic")
    match.deal()
    match.refused(NotYourTurn, player(2), PlayCard("AS"))
    match.refused(NotYourTurn, player(2), PlaceBid(99))
    for action in (NameTrump("H"), PlayCard("AS")):
        error = match.refused(WrongPhase, player(1), action)
        assert (error.code, error.explanation()) == ("wrong_phase", {"phase": "auction"})
    match.refused(BidOutOfRange, player(1), PlaceBid(99))


def test_each_phase_refuses_the_actions_of_the_others() -> None:
    match = EngineMatch("classic")
    match.deal(whole_suits())
    match.calls("13")
    for action in (PlaceBid(13), Pass(), Double(), PlayCard("2D")):
        assert match.refused(WrongPhase, player(1), action).explanation() == {"phase": "naming_trump"}
    match.name("D")
    for other in (PlaceBid(13), Pass(), Double(), NameTrump("H")):
        assert match.refused(WrongPhase, player(1), other).explanation() == {"phase": "play"}


def test_system_commands_belong_to_their_phase() -> None:
    match = EngineMatch("classic")
    match.refused(WrongPhase, SYSTEM, StartMatch(0))
    match.deal()
    match.refused(WrongPhase, SYSTEM, Deal(shuffled(0), SALT))
    match.refused(WrongPhase, SYSTEM, StartMatch(0))


def test_a_match_is_created_once() -> None:
    match = EngineMatch("classic")
    match.refused(WrongPhase, TENANT, CreateMatch(rules_for("classic"), Room(), ANCHOR))


@pytest.mark.parametrize(
    "command", [command for command in MAY if command is not CreateMatch], ids=lambda c: c.__name__
)
def test_nothing_can_be_done_to_a_match_that_does_not_exist(command: type[Command]) -> None:
    _, wish = SITUATIONS[command]()
    kind = sorted(MAY[command])[0]
    with pytest.raises(MatchNotStarted):
        decide(None, Actor(kind, 1 if kind in {"player", "clock"} else None), wish)


def test_a_moderator_has_no_hand_in_the_game() -> None:
    match = EngineMatch("classic")
    match.deal()
    for command in (Pass(), AbandonMatch("no"), ReplacePlayer(0, OMAR), Deal(shuffled(0), SALT), StartMatch(0)):
        match.refused(NotAllowed, MODERATOR, command)
