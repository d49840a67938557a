"""What can be wrong with a command: one class per broken rule.

`code` is the stable name that the API sends. The fields of an error are the numbers that explain it to whoever broke
the rule: never another seat's cards. `explanation()` gives them ready for a problem document.
"""

from typing import ClassVar

from matches.engine.cards import Card, Suit, Trump
from matches.engine.seats import Seat


class RuleViolation(Exception):
    """A command that the rules do not allow now. Nothing happened."""

    code: ClassVar[str] = "rule_violation"

    def __init__(self, detail: str, **facts: object) -> None:
        super().__init__(detail)
        self.detail = detail
        self.facts = facts

    def explanation(self) -> dict[str, object]:
        """The facts behind the refusal, JSON-ready, by field name."""
        return dict(self.facts)


class InvalidRules(RuleViolation):
    """Knobs that cannot be combined, or a knob or a setting of the room outside its range (RULES, knobs)."""

    code = "invalid_rules"

    def __init__(self, knob: str, detail: str) -> None:
        super().__init__(detail, knob=knob)


# Phase and turn


class WrongPhase(RuleViolation):
    """The command belongs to another phase of the match."""

    code = "wrong_phase"

    def __init__(self, phase: str) -> None:
        super().__init__(f"This is not possible in the phase {phase}.", phase=phase)


class MatchNotStarted(WrongPhase):
    """The seats are not all taken yet."""

    code = "match_not_started"

    def __init__(self) -> None:
        super().__init__("waiting")
        self.detail = "The match has not started: it still waits for players."


class MatchOver(WrongPhase):
    """The match was won, abandoned or voided."""

    code = "match_over"

    def __init__(self) -> None:
        super().__init__("over")
        self.detail = "The match is over."


class NotYourTurn(RuleViolation):
    """Another seat is to act."""

    code = "not_your_turn"

    def __init__(self, seat: Seat, turn: Seat) -> None:
        super().__init__(f"It is the turn of seat {turn}.", seat=seat, turn=turn)


class NotSeated(RuleViolation):
    """The actor holds no seat in this match."""

    code = "not_seated"

    def __init__(self) -> None:
        super().__init__("Only a player seated in this match can do this.")


class NotAllowed(RuleViolation):
    """This kind of actor may not give this kind of command."""

    code = "forbidden"

    def __init__(self, actor: str, command: str) -> None:
        super().__init__(f"{command} cannot be given by: {actor}.", actor=actor, command=command)


# Seats


class UnknownSeat(RuleViolation):
    """Seats are 0 to 3 (R-TAB-1)."""

    code = "unknown_seat"

    def __init__(self, seat: Seat) -> None:
        super().__init__("Seats are numbered 0 to 3.", seat=seat)


class SeatTaken(RuleViolation):
    """Somebody else holds the seat."""

    code = "seat_taken"

    def __init__(self, seat: Seat) -> None:
        super().__init__(f"Seat {seat} is taken.", seat=seat)


class SeatEmpty(RuleViolation):
    """Nobody holds the seat."""

    code = "seat_empty"

    def __init__(self, seat: Seat) -> None:
        super().__init__(f"Seat {seat} is empty.", seat=seat)


class AlreadySeated(RuleViolation):
    """The player holds another seat of this match."""

    code = "already_seated"

    def __init__(self, seat: Seat) -> None:
        super().__init__(f"The player already holds seat {seat}.", seat=seat)


class MatchFull(RuleViolation):
    """All four seats are taken and the match has started."""

    code = "match_full"

    def __init__(self) -> None:
        super().__init__("All four seats are taken.")


# Auction


class BidOutOfRange(RuleViolation):
    """A bid is a number of tricks from 7 to 13 (R-AUC-1)."""

    code = "bid_out_of_range"

    def __init__(self, tricks: int) -> None:
        super().__init__("A bid is 7 to 13 tricks.", tricks=tricks, lowest=7, highest=13)


class BidTooLow(RuleViolation):
    """The bid does not beat the highest so far (R-AUC-2, R-AUC-9, R-AUC-10)."""

    code = "bid_too_low"

    def __init__(self, highest_tricks: int, highest_trump: Trump | None) -> None:
        standing = f"{highest_tricks}{highest_trump or ''}"
        super().__init__(
            f"The bid must be higher than {standing}.",
            highest_bid={"tricks": highest_tricks, "trump": highest_trump},
        )


class AlreadyPassed(RuleViolation):
    """A pass is final for this hand (R-AUC-3)."""

    code = "already_passed"

    def __init__(self, seat: Seat) -> None:
        super().__init__("A pass is final for this hand.", seat=seat)


class MustBid(RuleViolation):
    """The dealer may not pass when the other three have (R-AUC-8, R-AUC-9)."""

    code = "must_bid"

    def __init__(self) -> None:
        super().__init__("The dealer must bid when the other three have passed.")


class DoubleNotAllowed(RuleViolation):
    """Nothing here that this seat may double (R-AUC-12)."""

    code = "double_not_allowed"

    def __init__(self, detail: str) -> None:
        super().__init__(detail)


class TrumpRequired(RuleViolation):
    """Where suits are bid, a bid names its suit (R-AUC-10)."""

    code = "trump_required"

    def __init__(self) -> None:
        super().__init__("Here a bid names its trump suit.")


class TrumpNotAllowed(RuleViolation):
    """No trumps where the rules have none, or a suit in a bid that is a number only (R-AUC-7)."""

    code = "trump_not_allowed"

    def __init__(self, trump: Trump, detail: str) -> None:
        super().__init__(detail, trump=trump)


# Play


class CardNotInHolding(RuleViolation):
    """The seat does not hold this card."""

    code = "card_not_in_holding"

    def __init__(self, card: Card) -> None:
        super().__init__(f"You do not hold {card}.", card=card)


class MustFollowSuit(RuleViolation):
    """A player who can follow suit does so (R-PLAY-2)."""

    code = "must_follow_suit"

    def __init__(self, card: Card, suit: Suit) -> None:
        super().__init__(f"You hold a card of the suit led, {suit}.", card=card, suit=suit)


# Deals and the moderators' commands


class InvalidDeck(RuleViolation):
    """A deal is the 52 cards, each once (R-TAB-3)."""

    code = "invalid_deck"

    def __init__(self) -> None:
        super().__init__("A deck is 52 different cards.")


class DealsExhausted(RuleViolation):
    """The chain of secrets of this match has no secret for another deal."""

    code = "deals_exhausted"

    def __init__(self, deals: int) -> None:
        super().__init__(f"No more than {deals} deals can be drawn for one match.", deals=deals)


class NothingToVoid(RuleViolation):
    """The match is void already."""

    code = "already_voided"

    def __init__(self) -> None:
        super().__init__("The match is void already.")


class LogDiverges(Exception):
    """A stored event contradicts what the fold reckons: the log was changed, or the code was."""

    def __init__(self, event: str, stored: object, reckoned: object) -> None:
        super().__init__(f"{event} says {stored}, the fold reckons {reckoned}")
