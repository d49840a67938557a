"""The one door through which cards leave the engine: what each viewer may see of a state and of an event (R-TAB-4).

Every phase and every event has its own list of what is shown, and both end in `assert_never`: a new one does not
type-check until somebody has decided who may see it. What a viewer gets depends on nothing that they may not see:
dealing the hidden cards differently changes no byte of it.
"""

from collections.abc import Sequence
from typing import assert_never

from msgspec import to_builtins
from msgspec.structs import replace

from matches.engine.cards import Card, cards_in
from matches.engine.events import (
    BidPlaced,
    CardPlayed,
    Doubled,
    Event,
    HandDealt,
    HandScored,
    HandThrownIn,
    MatchAbandoned,
    MatchCreated,
    MatchStarted,
    MatchVoided,
    MatchWon,
    Passed,
    PlayerReplaced,
    ScoreAdjusted,
    SeatLeft,
    SeatTaken,
    TrumpNamed,
)
from matches.engine.legality import legal_actions
from matches.engine.scoring import TRICKS
from matches.engine.seats import Seat
from matches.engine.state import Auction, Dealing, HandInPlay, NamingTrump, Over, Play, State, Waiting, turn_of
from matches.engine.views import (
    Auditor,
    BidView,
    CallView,
    ContractView,
    HandPhase,
    HandView,
    LastTrickView,
    MatchView,
    OwnView,
    PlayView,
    ResultView,
    SeatViewer,
    Spectator,
    Status,
    TrickView,
    Viewer,
)

__all__ = ["Auditor", "MatchView", "SeatViewer", "Spectator", "Viewer", "visible_event", "visible_state"]


def visible_state(state: State, viewer: Viewer) -> MatchView:
    """The match as `viewer` may see it."""
    table, hand = state.table, _hand_shown(state)
    return MatchView(
        status=_status(state),
        rules=table.rules,
        room=table.room,
        players=table.players,
        totals=table.totals,
        cards_left=_cards_left(hand),
        hand=None if hand is None else _hand_view(hand),
        turn_seat=turn_of(state),
        you=_own_view(state, hand, viewer),
        result=ResultView(state.winner, state.reason, table.totals) if isinstance(state, Over) else None,
        previous_match=table.previous_match,
        holdings=_open_holdings(hand, viewer),
    )


def _status(state: State) -> Status:
    match state:
        case Waiting():
            return "waiting"
        case Dealing() | Auction() | NamingTrump() | Play():
            return "playing"
        case Over():
            return state.status
        case _:
            assert_never(state)


def _hand_shown(state: State) -> HandInPlay | None:
    match state:
        case Waiting():
            return None
        case Dealing():
            return state.scored
        case Auction() | NamingTrump() | Play():
            return state
        case Over():
            return _hand_shown(state.last)
        case _:
            assert_never(state)


# What only some may see


def _own_view(state: State, hand: HandInPlay | None, viewer: Viewer) -> OwnView | None:
    match viewer:
        case SeatViewer():
            holding = () if hand is None else cards_in(hand.holdings[viewer.seat])
            return OwnView(viewer.seat, holding, legal_actions(state, viewer.seat))
        case Spectator() | Auditor():
            return None
        case _:
            assert_never(viewer)


def _open_holdings(
    hand: HandInPlay | None, viewer: Viewer
) -> tuple[tuple[Card, ...], tuple[Card, ...], tuple[Card, ...], tuple[Card, ...]] | None:
    match viewer:
        case SeatViewer() | Spectator():
            return None
        case Auditor():
            if hand is None or hand.table.deals > viewer.open_deals:
                return None
            a, b, c, d = hand.holdings
            return cards_in(a), cards_in(b), cards_in(c), cards_in(d)
        case _:
            assert_never(viewer)


# What everybody may see


def _cards_left(hand: HandInPlay | None) -> tuple[int, int, int, int]:
    if hand is None:
        return (0, 0, 0, 0)
    a, b, c, d = hand.holdings
    return a.bit_count(), b.bit_count(), c.bit_count(), d.bit_count()


def _hand_view(hand: HandInPlay) -> HandView:
    match hand:
        case Auction():
            return _auction_view(hand, "auction")
        case NamingTrump():
            return _auction_view(hand, "naming_trump")
        case Play():
            contract = hand.contract
            return replace(
                _auction_view(hand, "play"),
                contract=ContractView(contract.declarer, contract.tricks, contract.trump, contract.doubled),
                trick=_trick_view(hand),
                last_trick=_last_trick_view(hand),
                tricks_won=hand.tricks_won,
            )
        case _:
            assert_never(hand)


def _auction_view(hand: HandInPlay, phase: HandPhase) -> HandView:
    highest: BidView | None = None
    doubled_by: Seat | None = None
    for call in hand.calls:
        if call.tricks is not None:
            highest, doubled_by = BidView(call.seat, call.tricks, call.trump), None
        elif call.type == "double":
            doubled_by = call.seat
    calls = tuple(CallView(call.seat, call.type, call.tricks, call.trump) for call in hand.calls)
    table = hand.table
    return HandView(table.hand, table.deal, table.dealer, phase, calls, highest, doubled_by)


def _trick_view(play: Play) -> TrickView | None:
    number = sum(play.tricks_won) + 1
    if number > TRICKS:
        return None
    return TrickView(number, play.leader, _plays_from(play.leader, play.plays, play.step))


def _last_trick_view(play: Play) -> LastTrickView | None:
    trick = play.last_trick
    if trick is None:
        return None
    plays = _plays_from(trick.leader, trick.plays, play.step)
    return LastTrickView(sum(play.tricks_won), trick.leader, plays, trick.winner)


def _plays_from(leader: Seat, plays: Sequence[Card], step: int) -> tuple[PlayView, ...]:
    return tuple(PlayView((leader + step * place) & 3, card) for place, card in enumerate(plays))


def visible_event(  # noqa: C901, PLR0911, PLR0912 - one list of everything, to be read from top to bottom
    event: Event, viewer: Viewer, *, deals: int
) -> dict[str, object]:
    """What `viewer` may see of an event, as data ready for JSON.

    `deals` counts the deals of the match up to and including this event, throw-ins counted; only an auditor's view
    depends on it. That the event happened, everybody may know.
    """
    match event:
        case MatchCreated():
            return {
                "rules": to_builtins(event.rules),
                "room": to_builtins(event.room),
                "anchor": event.anchor,
                "previous_match": event.previous_match,
            }
        case SeatTaken():
            return {"seat": event.seat, "player": event.player, "entropy": event.entropy}
        case SeatLeft():
            return {"seat": event.seat, "player": event.player}
        case MatchStarted():
            return {"first_dealer": event.first_dealer}
        case HandDealt():
            return _visible_deal(event, viewer, deals)
        case BidPlaced():
            return {"seat": event.seat, "tricks": event.tricks, "trump": event.trump}
        case Passed() | Doubled():
            return {"seat": event.seat}
        case HandThrownIn():
            return {"hand": event.hand, "deal": event.deal}
        case TrumpNamed():
            return {"seat": event.seat, "trump": event.trump}
        case CardPlayed():
            return {"seat": event.seat, "card": event.card}
        case HandScored():
            return {
                "hand": event.hand,
                "declarer": event.declarer,
                "bid": event.bid,
                "won": event.won,
                "doubled": event.doubled,
                "points": list(event.points),
                "totals": list(event.totals),
            }
        case MatchWon():
            return {"winner": event.winner, "totals": list(event.totals)}
        case PlayerReplaced():
            return {"seat": event.seat, "player": event.player, "replaced": event.replaced}
        case MatchAbandoned() | MatchVoided():
            return {"reason": event.reason}
        case ScoreAdjusted():
            return {
                "points": list(event.points),
                "totals": list(event.totals),
                "winner": event.winner,
                "reason": event.reason,
            }
        case _:
            assert_never(event)


def _visible_deal(event: HandDealt, viewer: Viewer, deals: int) -> dict[str, object]:
    shown: dict[str, object] = {"hand": event.hand, "deal": event.deal, "dealer": event.dealer}
    match viewer:
        case SeatViewer():
            return shown | {"holding": list(event.holdings[viewer.seat])}
        case Spectator():
            return shown
        case Auditor():
            if deals > viewer.open_deals:
                return shown
            return shown | {"holdings": [list(cards) for cards in event.holdings], "salt": event.salt}
        case _:
            assert_never(viewer)
