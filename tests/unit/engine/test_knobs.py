"""The variants, their knobs, which values go together, and the settings of the room."""

import msgspec
import pytest

from matches.engine import VARIANTS, decide, rules_for
from matches.engine.commands import CreateMatch
from matches.engine.errors import InvalidRules
from matches.engine.events import MatchCreated
from matches.engine.room import Room
from matches.engine.rules import Rules, check_rules
from tests.cast import ANCHOR, TENANT

CLASSIC = {
    "target": 31,
    "direction": "counterclockwise",
    "deal_style": "one_by_one",
    "no_trumps": True,
    "auction": "ascending",
    "dealer_may_match": False,
    "dealer_must_bid": False,
    "doubling": False,
    "double_defenders": False,
}

DIFFERENCES: dict[str, dict[str, object]] = {
    "classic": {},
    "eram": {"no_trumps": False},
    "egyptian": {"auction": "suit_bids", "doubling": True},
    "clockwise": {"direction": "clockwise"},
    "one_go": {"deal_style": "one_go"},
    "lebanese": {"auction": "single_round", "dealer_may_match": True},
    "forced_dealer": {"dealer_must_bid": True},
}


def test_seven_variants_are_served() -> None:
    assert set(VARIANTS) == set(DIFFERENCES)


@pytest.mark.parametrize("variant", DIFFERENCES)
def test_each_variant_is_classic_but_for_its_knobs(variant: str) -> None:
    expected = {"variant": variant, **CLASSIC, **DIFFERENCES[variant]}
    assert msgspec.structs.asdict(rules_for(variant)) == expected


@pytest.mark.parametrize("variant", DIFFERENCES)
def test_a_quick_match_is_played_to_forty_one(variant: str) -> None:
    assert VARIANTS[variant].quick_target == 41
    assert rules_for(variant, target=VARIANTS[variant].quick_target).target == 41


@pytest.mark.parametrize("target", [31, 32, 100, 500, 501])
def test_the_target_is_thirty_one_to_five_hundred_and_one(target: int) -> None:
    assert rules_for("classic", target=target).target == target


@pytest.mark.parametrize("target", [31, 41, 61])
def test_eram_is_played_to_thirty_one_forty_one_or_sixty_one(target: int) -> None:
    assert rules_for("eram", target=target).target == target


@pytest.mark.parametrize(
    ("variant", "knobs", "blamed"),
    [
        ("classic", {"target": 30}, "target"),
        ("classic", {"target": 502}, "target"),
        ("classic", {"target": 0}, "target"),
        ("classic", {"target": "41"}, "target"),
        ("classic", {"target": 41.5}, "target"),
        ("classic", {"target": True}, "target"),
        ("classic", {"target": None}, "target"),
        ("eram", {"target": 51}, "target"),
        ("eram", {"target": 501}, "target"),
        ("classic", {"direction": "left"}, "direction"),
        ("classic", {"deal_style": "two_by_two"}, "deal_style"),
        ("classic", {"auction": "poker"}, "auction"),
        ("classic", {"no_trumps": 1}, "no_trumps"),
        ("classic", {"no_trumps": "yes"}, "no_trumps"),
        ("classic", {"stakes": 5}, "stakes"),
        ("polish", {}, "variant"),
        ("", {}, "variant"),
        ("classic", {"dealer_may_match": True}, "dealer_may_match"),
        ("egyptian", {"dealer_may_match": True}, "dealer_may_match"),
        ("lebanese", {"auction": "ascending"}, "dealer_may_match"),
        ("egyptian", {"dealer_must_bid": True}, "dealer_must_bid"),
        ("forced_dealer", {"auction": "suit_bids"}, "dealer_must_bid"),
        ("classic", {"doubling": True}, "doubling"),
        ("lebanese", {"doubling": True}, "doubling"),
        ("egyptian", {"auction": "ascending"}, "doubling"),
    ],
)
def test_impossible_rules_are_refused_with_the_knob_that_is_wrong(
    variant: str, knobs: dict[str, object], blamed: str
) -> None:
    with pytest.raises(InvalidRules) as refusal:
        rules_for(variant, **knobs)
    assert refusal.value.code == "invalid_rules"
    assert refusal.value.explanation()["knob"] == blamed
    assert refusal.value.detail


@pytest.mark.parametrize(
    ("variant", "knobs"),
    [
        ("lebanese", {"direction": "clockwise"}),
        ("lebanese", {"dealer_may_match": False}),
        ("lebanese", {"dealer_must_bid": True}),
        ("lebanese", {"auction": "suit_bids", "dealer_may_match": False}),
        ("classic", {"auction": "single_round", "dealer_may_match": True, "dealer_must_bid": True}),
        ("classic", {"auction": "suit_bids", "doubling": True, "double_defenders": True}),
        ("classic", {"dealer_must_bid": True}),
        ("egyptian", {"doubling": False}),
        ("egyptian", {"no_trumps": False, "deal_style": "one_go"}),
        ("egyptian", {"auction": "ascending", "doubling": False}),
        ("eram", {"no_trumps": True}),
        ("forced_dealer", {"dealer_must_bid": False}),
        ("classic", {"double_defenders": True}),
    ],
)
def test_knobs_that_go_together_override_the_variants(variant: str, knobs: dict[str, object]) -> None:
    rules = rules_for(variant, **knobs)
    expected = {"variant": variant, **CLASSIC, **DIFFERENCES[variant], **knobs}
    assert msgspec.structs.asdict(rules) == expected


def test_the_reason_for_a_target_names_the_targets_there_are() -> None:
    with pytest.raises(InvalidRules, match="31, 41, 61"):
        rules_for("eram", target=51)


@pytest.mark.parametrize(
    ("rules", "blamed"),
    [
        (Rules("classic", target=30), "target"),
        (Rules("classic", dealer_may_match=True), "dealer_may_match"),
        (Rules("egyptian", auction="suit_bids", dealer_must_bid=True), "dealer_must_bid"),
        (Rules("classic", doubling=True), "doubling"),
    ],
)
def test_a_match_cannot_be_created_by_impossible_rules(rules: Rules, blamed: str) -> None:
    with pytest.raises(InvalidRules):
        check_rules(rules)
    with pytest.raises(InvalidRules) as refusal:
        decide(None, TENANT, CreateMatch(rules, Room(), ANCHOR))
    assert refusal.value.explanation()["knob"] == blamed


@pytest.mark.parametrize(
    ("room", "blamed"),
    [
        (Room(turn_seconds=2), "turn_seconds"),
        (Room(turn_seconds=0), "turn_seconds"),
        (Room(turn_seconds=-30), "turn_seconds"),
        (Room(turn_seconds=86_401), "turn_seconds"),
        (Room(spectator_delay_seconds=-1), "spectator_delay_seconds"),
        (Room(spectator_delay_seconds=3_601), "spectator_delay_seconds"),
    ],
)
def test_a_setting_of_the_room_out_of_range_is_refused_by_name(room: Room, blamed: str) -> None:
    with pytest.raises(InvalidRules) as refusal:
        decide(None, TENANT, CreateMatch(rules_for("classic"), room, ANCHOR))
    assert blamed in refusal.value.explanation().values()


@pytest.mark.parametrize(
    "room",
    [
        Room(turn_seconds=None),
        Room(turn_seconds=3),
        Room(turn_seconds=86_400),
        Room(spectator_delay_seconds=3_600),
        Room(visibility="private", auto_rematch=True),
    ],
)
def test_the_match_keeps_its_rules_and_its_room_whole_in_its_first_event(room: Room) -> None:
    rules = rules_for("lebanese", direction="clockwise", target=77)
    events = decide(None, TENANT, CreateMatch(rules, room, ANCHOR, previous_match="before"))
    assert events == (MatchCreated(rules, room, ANCHOR, "before"),)
