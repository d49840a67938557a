"""Tricks, scores and sheets, each alone against the oracle."""

from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from matches.engine import rules_for, score, sheet
from matches.engine.cards import DECK, SUIT_MASK, TRUMPS, Card, Trump, card_set, cards_in
from matches.engine.seats import Seat
from matches.engine.tricks import legal_cards, trick_winner
from tests.property import oracle
from tests.property.strategies import knobs_of

CARDS = st.permutations(DECK)


def test_every_score_there_is() -> None:
    compared = 0
    for double_defenders, doubled, bid, won in product((False, True), (False, True), range(7, 14), range(14)):
        rules = rules_for("egyptian", double_defenders=double_defenders)
        ours, theirs = oracle.points(knobs_of(rules), bid, won, doubled=doubled)
        assert score(rules, declarer_team=0, bid=bid, won=won, doubled=doubled) == (ours, theirs)
        assert score(rules, declarer_team=1, bid=bid, won=won, doubled=doubled) == (theirs, ours)
        assert min(ours, theirs) <= 0, "only one side gains"
        compared += 1
    assert compared == 2 * 2 * 7 * 14


@given(deck=CARDS, leader=st.integers(0, 3), step=st.sampled_from([1, 3]), trump=st.sampled_from(TRUMPS))
def test_the_taker_of_a_trick(deck: list[Card], leader: Seat, step: int, trump: Trump) -> None:
    for first in range(0, 52, 4):
        plays = deck[first : first + 4]
        taker = (leader + step * oracle.trick_taken_by(list(plays), trump)) % 4
        assert trick_winner(plays, leader, step, SUIT_MASK[trump]) == taker


@given(deck=CARDS, size=st.integers(1, 13))
def test_the_cards_that_may_be_played(deck: list[Card], size: int) -> None:
    held, led = deck[:size], deck[size]
    for lead in (led, None):
        allowed = oracle.cards_allowed(list(held), [lead] if lead else [])
        assert set(cards_in(legal_cards(card_set(held), lead))) == set(allowed)


@given(rows=st.lists(st.tuples(st.integers(-64, 64), st.integers(-64, 64)), max_size=30))
def test_a_sheet_of_any_rows(rows: list[tuple[int, int]]) -> None:
    book, paper = sheet(rows), oracle.paper_sheet(rows)
    assert [row.points for row in book.rows] == rows
    for team in (0, 1):
        assert [row.entries[team] for row in book.rows] == paper[team]["entries"]
        assert [row.lines[team] for row in book.rows] == paper[team]["lines"]
        assert [row.debts[team] for row in book.rows] == paper[team]["debts"]
        signed = [sum(points[team] for points in rows[:end]) for end in range(len(rows) + 1)]
        for line, debt, total in zip(paper[team]["lines"], paper[team]["debts"], signed[1:], strict=True):
            assert line - debt == total
        end = book.teams[team]
        assert (end.line, end.line - end.debt, end.signed) == (max(signed), signed[-1], signed[-1])
