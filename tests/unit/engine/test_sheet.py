"""R-SHT: the paper form of the ledger."""

from collections.abc import Iterable

import pytest

from matches.engine import sheet

EW, NS = 0, 1


def stands(rows: Iterable[tuple[int, int]], team: int) -> tuple[int, int, int]:
    """Line, debt and signed total of a team after these rows."""
    at_the_end = sheet(rows).teams[team]
    return at_the_end.line, at_the_end.debt, at_the_end.signed


def test_R_SHT_1_the_signed_total_is_the_sum_and_may_be_negative() -> None:
    rows = [(-8, 7), (10, 0), (-13, 4)]
    assert [stands(rows, team)[2] for team in (0, 1)] == [-11, 11]


def test_R_SHT_2_a_cost_enters_nothing_and_adds_to_the_debt() -> None:
    assert stands([(-8, 7)], 0) == (0, 8, -8)
    assert stands([(-8, 7)], 1) == (7, 0, 7)
    assert sheet([(-8, 7)]).rows[0].entries == (0, 7)


def test_R_SHT_2_points_pay_the_debt_first_and_what_is_left_is_entered() -> None:
    rows = sheet([(-8, 0), (5, 0), (10, 0)]).rows
    assert [row.entries[0] for row in rows] == [0, 0, 7]
    assert [row.debts[0] for row in rows] == [8, 3, 0]
    assert [row.lines[0] for row in rows] == [0, 0, 7]


def test_R_SHT_2_a_debt_just_paid_enters_nothing() -> None:
    rows = [(-8, 0), (8, 0)]
    assert [row.entries[0] for row in sheet(rows).rows] == [0, 0]
    assert stands(rows, 0) == (0, 0, 0)


def test_R_SHT_2_debts_add_up() -> None:
    assert stands([(-8, 0), (-9, 0)], 0) == (0, 17, -17)


def test_R_SHT_2_a_cost_after_points_leaves_the_line_where_it_was() -> None:
    assert stands([(10, 0), (-8, 0)], 0) == (10, 8, 2)


def test_R_SHT_2_the_line_is_the_highest_signed_total_so_far_from_zero() -> None:
    rows = [(0, 7), (10, 0), (-13, 4), (16, 0), (0, 12), (0, -8)]
    signed, highest = [0, 0], [0, 0]
    for row, entered in zip(rows, sheet(rows).rows, strict=True):
        for team in (0, 1):
            signed[team] += row[team]
            highest[team] = max(highest[team], signed[team])
        assert entered.points == row
        assert list(entered.lines) == highest
        assert [line - debt for line, debt in zip(entered.lines, entered.debts, strict=True)] == signed
    assert stands(rows, 0) == (13, 0, 13)
    assert stands(rows, 1) == (23, 8, 15)


def test_R_SHT_2_no_rows_is_an_empty_sheet() -> None:
    assert sheet([]).rows == ()
    assert [stands([], team) for team in (0, 1)] == [(0, 0, 0), (0, 0, 0)]


@pytest.mark.parametrize("as_iterator", [False, True])
def test_R_SHT_3_the_example_of_three_deals(*, as_iterator: bool) -> None:
    rows = [(8, 0), (6, -10), (0, 16)]
    book = sheet(iter(rows) if as_iterator else rows)
    assert [row.entries[EW] for row in book.rows] == [8, 6, 0]
    assert [row.entries[NS] for row in book.rows] == [0, 0, 6]
    assert stands(rows, EW) == (14, 0, 14)
    assert stands(rows, NS) == (6, 0, 6)
