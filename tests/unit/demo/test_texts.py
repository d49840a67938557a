"""Both languages say the same things, in the words of the rule book."""

import re
from pathlib import Path
from string import Formatter

import pytest

from tarneeb_service.local import demo
from tarneeb_service.local.demo.texts import CATALOGUE, Language, Texts, language_of


def fields(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name}


@pytest.mark.parametrize("key", CATALOGUE)
def test_both_languages_fill_in_the_same_facts(key: str) -> None:
    phrase = CATALOGUE[key]
    assert fields(phrase.en) == fields(phrase.ar)


@pytest.mark.parametrize("key", [key for key, phrase in CATALOGUE.items() if re.sub(r"\{\w+\}", "", phrase.en).strip()])
def test_arabic_texts_are_arabic(key: str) -> None:
    assert re.search(r"[\u0600-\u06ff]", CATALOGUE[key].ar)
    assert not re.search(r"[\u0600-\u06ff]", CATALOGUE[key].en)


def test_the_arabic_words_are_those_of_the_rule_book() -> None:
    texts = Texts("ar")
    words = {
        "pass": "باس",
        "double": "دبل",
        "calls": "المزايدة",
        "column_bidder": "صاحب الطلب",
        "no_trumps": "بدون طرنيب",
        "tricks": "لمّات",
        "totals": "نقاط",
    }
    assert {key: texts(key) for key in words} == words
    assert "الموزّع" in texts("dealer", name="أمل")
    assert "كبّوت" in texts("kaboot", team="أمل وكارلا", points=16)
    assert "جولة" in texts("hand", number=1)


def test_every_text_is_used_and_every_text_used_is_there() -> None:
    source = "".join(path.read_text() for path in Path(demo.__path__[0]).glob("*.py") if path.name != "texts.py")
    named = set(re.findall(r"[\"']([a-z_]+)[\"']", source))
    variants = {key for key in CATALOGUE if key.startswith("variant_")}
    assert set(CATALOGUE) - variants <= named
    asked = set(re.findall(r"(?:texts\(|DemoFailed\(|ActionRefused\(|_cell\(texts, )\s*[\"']([a-z_]+)[\"']", source))
    assert asked <= set(CATALOGUE)
    assert len(asked) > 20


@pytest.mark.parametrize(
    ("environment", "language"),
    [
        ({}, "en"),
        ({"LANG": "C.UTF-8"}, "en"),
        ({"LANG": "ar_EG.UTF-8"}, "ar"),
        ({"LANG": "ar"}, "ar"),
        ({"LANG": "arn_CL.UTF-8"}, "en"),
        ({"LANG": "ar_SY.UTF-8", "LC_ALL": "en_GB.UTF-8"}, "en"),
        ({"LANG": "en_GB.UTF-8", "LC_MESSAGES": "ar_LB"}, "ar"),
        ({"LANG": "ar_JO", "LC_ALL": ""}, "ar"),
    ],
)
def test_the_language_is_the_environments(environment: dict[str, str], language: Language) -> None:
    assert language_of(environment) == language


def test_a_name_or_variant_that_the_catalogue_has_not_is_shown_as_it_is() -> None:
    assert Texts("ar").name("zayd") == "zayd"
    assert Texts("ar").variant("house_rules") == "house_rules"
    assert Texts("ar").name("amal") == "أمل"
    assert Texts("ar").variant("egyptian") == "مصري"


@pytest.mark.parametrize(("number", "shown"), [(9, "+9"), (-8, "-8"), (0, "0")])
def test_points_are_shown_with_their_sign(number: int, shown: str) -> None:
    assert Texts("en").gained(number) == shown
    assert Texts("ar").gained(number).removeprefix("\u200e") == shown
