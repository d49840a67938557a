"""How a budget stands beside what was measured."""


def line(name: str, measured: float, budget: float, unit: str, *, at_most: bool = False) -> bool:
    """Print one budget and whether it is kept; returns that."""
    kept = measured <= budget if at_most else measured >= budget
    sign = "≤" if at_most else "≥"
    print(f"  {name:<58} {measured:>12,.2f} {unit:<9} budget {sign} {budget:>10,.2f}  {'kept' if kept else 'MISSED'}")
    return kept


def note(name: str, measured: float, unit: str) -> None:
    """Print a figure that has no budget."""
    print(f"  {name:<58} {measured:>12,.2f} {unit}")
