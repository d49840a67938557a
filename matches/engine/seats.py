"""Seats, teams and the way round the table (R-TAB-1, R-TAB-2)."""

from typing import Literal, TypeAlias

Seat: TypeAlias = int
"""0-3, numbered counter-clockwise: seat 1 sits on seat 0's right."""

Team: TypeAlias = int
"""0 for seats 0 and 2, 1 for seats 1 and 3."""

Direction: TypeAlias = Literal["counterclockwise", "clockwise"]

SEATS: tuple[Seat, ...] = (0, 1, 2, 3)

STEP: dict[Direction, int] = {"counterclockwise": 1, "clockwise": 3}
"""What to add to a seat, modulo four, to reach the next one."""


_AFTER: dict[Direction, list[tuple[Seat, Seat, Seat, Seat]]] = {
    direction: [((seat + step) & 3, (seat + 2 * step) & 3, (seat + 3 * step) & 3, seat) for seat in SEATS]
    for direction, step in STEP.items()
}


def team_of(seat: Seat) -> Team:
    """The team that `seat` plays for."""
    return seat & 1


def partner_of(seat: Seat) -> Seat:
    """The seat opposite."""
    return (seat + 2) & 3


def next_seat(seat: Seat, direction: Direction) -> Seat:
    """The seat whose turn follows `seat` in `direction`."""
    return (seat + STEP[direction]) & 3


def seats_after(seat: Seat, direction: Direction) -> tuple[Seat, ...]:
    """All four seats in order, beginning with the one after `seat` and ending with `seat`."""
    return _AFTER[direction][seat]
