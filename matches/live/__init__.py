"""Waiting for news of a match: wake-ups by hints, and a slow poll behind them."""
