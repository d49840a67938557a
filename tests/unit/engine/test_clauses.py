"""The rule book's clauses, and that each has a test that names it."""

import re
from pathlib import Path

import pytest

CLAUSES = {"TAB": 4, "DEAL": 3, "AUC": 12, "PLAY": 4, "SCO": 8, "SHT": 3, "MAT": 2, "CLK": 5}
"""How many clauses each chapter of the rules has."""

NAMED = {
    clause
    for path in Path(__file__).parent.glob("test_*.py")
    for clause in re.findall(r"^def test_\w*R_([A-Z]+_\d+)", path.read_text(encoding="utf-8"), re.MULTILINE)
}


@pytest.mark.parametrize("clause", [f"{chapter}_{n}" for chapter, last in CLAUSES.items() for n in range(1, last + 1)])
def test_the_clause_has_a_test_of_its_own(clause: str) -> None:
    assert clause in NAMED


def test_no_test_names_a_clause_that_there_is_not() -> None:
    known = {f"{chapter}_{n}" for chapter, last in CLAUSES.items() for n in range(1, last + 1)}
    assert known >= NAMED
