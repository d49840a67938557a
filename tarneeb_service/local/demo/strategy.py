"""What a player does on their turn, from their own view of the match and nothing else. Pure."""

from tarneeb_service.local.demo.bidding import best_trump, choose_call
from tarneeb_service.local.demo.card_play import choose_card, position_of
from tarneeb_service.local.demo.views import Action, MatchView


class NothingToDo(Exception):
    """The view offers no legal action: it is not this player's turn."""


def choose(view: MatchView, nerve: float = 0.0) -> Action:
    """One of `view.you.legal_actions`. `nerve` in tricks makes a bolder or a shyer bidder. Raises `NothingToDo`."""
    you, hand = view.you, view.hand
    if you is None or hand is None or not you.legal_actions:
        raise NothingToDo
    if hand.phase == "auction":
        return choose_call(you, hand, single_round=view.rules.auction == "single_round", nerve=nerve)
    named = {action.trump: action for action in you.legal_actions if action.type == "name_trump"}
    if named:
        trump, _ = best_trump(you.holding, [trump for trump in named if trump is not None])
        return named[trump]
    position = position_of(you, hand)
    if position is None:
        return you.legal_actions[0]
    card = choose_card(position)
    return next(action for action in you.legal_actions if action.card == card)
