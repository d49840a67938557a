"""The variants served, each a module with its values: data, never code of its own."""

from msgspec import ValidationError, convert, structs

from matches.engine.errors import InvalidRules
from matches.engine.rules import Rules, check_rules
from matches.engine.variants import classic, clockwise, egyptian, eram, forced_dealer, lebanese, one_go
from matches.engine.variants.definition import Variant

VARIANTS: dict[str, Variant] = {
    module.VARIANT.name: module.VARIANT
    for module in (classic, eram, egyptian, clockwise, one_go, lebanese, forced_dealer)
}

KNOBS: tuple[str, ...] = tuple(field.name for field in structs.fields(Rules) if field.name != "variant")

__all__ = ["KNOBS", "VARIANTS", "Variant", "rules_for"]


def rules_for(variant: str, /, **knobs: object) -> Rules:
    """The rules of a variant with some knobs overridden.

    Raises `InvalidRules`, naming the knob, for an unknown variant or knob, a value of the wrong type or out of range,
    or a combination that cannot be played.
    """
    if variant not in VARIANTS:
        raise InvalidRules("variant", f"Unknown variant. Known: {', '.join(VARIANTS)}.")
    chosen = VARIANTS[variant]
    for knob in knobs:
        if knob not in KNOBS:
            raise InvalidRules(knob, f"Unknown knob. Known: {', '.join(KNOBS)}.")
    values: dict[str, object] = {"variant": variant, **structs.asdict(chosen.rules), **knobs}
    rules = _converted(values)
    check_rules(rules)
    if chosen.targets is not None and rules.target not in chosen.targets:
        known = ", ".join(str(target) for target in chosen.targets)
        raise InvalidRules("target", f"{variant} is played to {known}.")
    return rules


def _converted(values: dict[str, object]) -> Rules:
    for knob, value in values.items():
        try:
            convert({"variant": values["variant"], knob: value}, Rules)
        except ValidationError as error:
            raise InvalidRules(knob, str(error).split(" - at ")[0] + ".") from error
    return convert(values, Rules)
