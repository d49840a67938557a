"""Views to decide on: told ones for the examples, and any that an API of this shape could send for the properties."""

from hypothesis import strategies as st

from tarneeb_service.local.demo.cards import NO_TRUMPS, RANKS, SUITS
from tarneeb_service.local.demo.views import (
    Action,
    Bid,
    Call,
    Contract,
    Hand,
    MatchView,
    PlayedCard,
    RulesInPlay,
    Trick,
    Turn,
    You,
)

CARDS = [rank + suit for suit in SUITS for rank in RANKS]
TRUMPS = [*SUITS, NO_TRUMPS]


def cards(told: str) -> tuple[str, ...]:
    """`"AK2-QJ--T"` told as clubs, diamonds, hearts, spades."""
    return tuple(rank + suit for suit, ranks in zip(SUITS, told.split("-"), strict=True) for rank in ranks)


def bids(lowest: int = 7) -> list[Action]:
    """All bids of a number alone, from `lowest`, and the pass."""
    return [*(Action("bid", tricks=tricks) for tricks in range(lowest, 14)), Action("pass")]


def suit_bids(lowest: int = 7) -> list[Action]:
    """All bids with a suit, from `lowest`, and the pass."""
    numbers = range(lowest, 14)
    return [*(Action("bid", tricks=tricks, trump=trump) for tricks in numbers for trump in TRUMPS), Action("pass")]


def to_call(
    holding: str,
    legal: list[Action],
    *,
    seat: int = 0,
    calls: tuple[Call, ...] = (),
    highest: Bid | None = None,
    auction: str = "ascending",
) -> MatchView:
    """A view in the auction."""
    hand = Hand("auction", calls=calls, highest_bid=highest)
    return _view(hand, seat, cards(holding), legal, auction)


def to_name(holding: str, allowed: list[str]) -> MatchView:
    """A view of the declarer who is to name the trump."""
    hand = Hand("naming_trump", highest_bid=Bid(0, 7))
    return _view(hand, 0, cards(holding), [Action("name_trump", trump=trump) for trump in allowed])


def to_play(
    holding: str,
    *table: tuple[int, str],
    seat: int = 0,
    trump: str = "S",
    declarer: int = 0,
    number: int = 6,
    last: tuple[tuple[int, str], ...] = (),
) -> MatchView:
    """A view in the play, with the legal cards that follow from the holding and the card led."""
    held = cards(holding)
    following = [card for card in held if table and card[1] == table[0][1][1]]
    hand = Hand(
        "play",
        contract=Contract(declarer, 7, trump),
        trick=Trick(number, table[0][0] if table else seat, _plays(table)),
        last_trick=Trick(number - 1, last[0][0], _plays(last), last[0][0]) if last else None,
    )
    return _view(hand, seat, held, [Action("play", card=card) for card in following or held])


def _plays(told: tuple[tuple[int, str], ...]) -> tuple[PlayedCard, ...]:
    return tuple(PlayedCard(seat, card) for seat, card in told)


def _view(
    hand: Hand, seat: int, holding: tuple[str, ...], legal: list[Action], auction: str = "ascending"
) -> MatchView:
    return MatchView(
        "m",
        "playing",
        7,
        rules=RulesInPlay(auction=auction),
        hand=hand,
        turn=Turn(seat),
        you=You(seat, holding, tuple(legal)),
    )


def views() -> st.SearchStrategy[MatchView]:
    """Any view with something to do, however odd: only its shape is what the API promises."""
    seats = st.integers(0, 3)
    card = st.sampled_from(CARDS)
    trump = st.sampled_from(TRUMPS)
    tricks = st.integers(7, 13)
    plays = st.lists(st.builds(PlayedCard, seats, card), max_size=3, unique_by=lambda play: play.card).map(tuple)
    full = st.lists(st.builds(PlayedCard, seats, card), min_size=4, max_size=4).map(tuple)
    action = st.one_of(
        st.builds(Action, st.just("bid"), tricks=tricks, trump=st.none() | trump),
        st.builds(Action, st.sampled_from(["pass", "double"])),
        st.builds(Action, st.just("name_trump"), trump=trump),
        st.builds(Action, st.just("play"), card=card),
    )
    hand = st.builds(
        Hand,
        phase=st.sampled_from(["auction", "naming_trump", "play"]),
        calls=st.lists(st.builds(Call, seats, st.sampled_from(["pass", "double"])), max_size=6).map(tuple),
        highest_bid=st.none() | st.builds(Bid, seats, tricks, st.none() | trump),
        contract=st.none() | st.builds(Contract, seats, tricks, trump, st.booleans()),
        trick=st.none() | st.builds(Trick, st.integers(1, 13), seats, plays),
        last_trick=st.none() | st.builds(Trick, st.integers(1, 12), seats, full, seats),
    )
    you = st.builds(
        You,
        seats,
        st.lists(card, max_size=13, unique=True).map(tuple),
        st.lists(action, min_size=1, max_size=12, unique=True).map(tuple),
    )
    rules = st.builds(RulesInPlay, auction=st.sampled_from(["ascending", "suit_bids", "single_round"]))
    return st.builds(
        MatchView, id=st.just("m"), status=st.just("playing"), version=st.integers(1), rules=rules, hand=hand, you=you
    )
