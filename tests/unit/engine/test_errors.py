"""The tree of errors: one class a broken rule, each with a code of its own and facts that can be sent."""

import inspect
import json
from collections.abc import Iterator

import pytest

from matches.engine import errors
from matches.engine.errors import (
    AlreadyPassed,
    AlreadySeated,
    BidOutOfRange,
    BidTooLow,
    CardNotInHolding,
    DealsExhausted,
    DoubleNotAllowed,
    InvalidDeck,
    InvalidRules,
    LogDiverges,
    MatchFull,
    MatchNotStarted,
    MatchOver,
    MustBid,
    MustFollowSuit,
    NotAllowed,
    NothingToVoid,
    NotSeated,
    NotYourTurn,
    RuleViolation,
    SeatEmpty,
    SeatTaken,
    TrumpNotAllowed,
    TrumpRequired,
    UnknownSeat,
    WrongPhase,
)

EXAMPLES: list[tuple[RuleViolation, str, dict[str, object]]] = [
    (InvalidRules("target", "Too low."), "invalid_rules", {"knob": "target"}),
    (WrongPhase("auction"), "wrong_phase", {"phase": "auction"}),
    (MatchNotStarted(), "match_not_started", {"phase": "waiting"}),
    (MatchOver(), "match_over", {"phase": "over"}),
    (NotYourTurn(2, 1), "not_your_turn", {"seat": 2, "turn": 1}),
    (NotSeated(), "not_seated", {}),
    (NotAllowed("tenant", "Pass"), "forbidden", {"actor": "tenant", "command": "Pass"}),
    (UnknownSeat(4), "unknown_seat", {"seat": 4}),
    (SeatTaken(1), "seat_taken", {"seat": 1}),
    (SeatEmpty(1), "seat_empty", {"seat": 1}),
    (AlreadySeated(1), "already_seated", {"seat": 1}),
    (MatchFull(), "match_full", {}),
    (BidOutOfRange(6), "bid_out_of_range", {"tricks": 6, "lowest": 7, "highest": 13}),
    (BidTooLow(9, None), "bid_too_low", {"highest_bid": {"tricks": 9, "trump": None}}),
    (BidTooLow(9, "H"), "bid_too_low", {"highest_bid": {"tricks": 9, "trump": "H"}}),
    (AlreadyPassed(1), "already_passed", {"seat": 1}),
    (MustBid(), "must_bid", {}),
    (DoubleNotAllowed("There is no bid."), "double_not_allowed", {}),
    (TrumpRequired(), "trump_required", {}),
    (TrumpNotAllowed("NT", "Not here."), "trump_not_allowed", {"trump": "NT"}),
    (CardNotInHolding("AS"), "card_not_in_holding", {"card": "AS"}),
    (MustFollowSuit("AS", "D"), "must_follow_suit", {"card": "AS", "suit": "D"}),
    (InvalidDeck(), "invalid_deck", {}),
    (DealsExhausted(4095), "deals_exhausted", {"deals": 4095}),
    (NothingToVoid(), "already_voided", {}),
]


def violations() -> Iterator[type[RuleViolation]]:
    for _, member in inspect.getmembers(errors, inspect.isclass):
        if issubclass(member, RuleViolation) and member is not RuleViolation:
            yield member


def test_every_rule_violation_has_an_example_here() -> None:
    assert {type(example) for example, _, _ in EXAMPLES} == set(violations())


def test_no_two_rules_share_a_code() -> None:
    codes = [violation.code for violation in violations()]
    assert len(set(codes)) == len(codes)


@pytest.mark.parametrize(("violation", "code", "facts"), EXAMPLES)
def test_a_violation_has_its_code_its_facts_and_a_sentence(
    violation: RuleViolation, code: str, facts: dict[str, object]
) -> None:
    assert violation.code == code
    assert violation.explanation() == facts
    assert json.loads(json.dumps(violation.explanation())) == facts
    assert str(violation)
    assert violation.detail.endswith(".")


def test_what_is_out_of_phase_can_be_caught_as_one() -> None:
    assert issubclass(MatchNotStarted, WrongPhase)
    assert issubclass(MatchOver, WrongPhase)


def test_an_explanation_is_a_copy() -> None:
    error = NotYourTurn(2, 1)
    error.explanation()["turn"] = 3
    assert error.explanation() == {"seat": 2, "turn": 1}


def test_a_log_that_diverges_is_nobodys_fault_of_play() -> None:
    assert not issubclass(LogDiverges, RuleViolation)
