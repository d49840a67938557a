"""Every word that the demo shows, in English and Arabic side by side: the one place for a reviewer of either."""

import os
from collections.abc import Mapping
from typing import Literal, NamedTuple, TypeAlias

Language: TypeAlias = Literal["en", "ar"]


class Phrase(NamedTuple):
    """One text in both languages; `{fields}` are filled in and the same in both."""

    en: str
    ar: str


CATALOGUE: dict[str, Phrase] = {
    # The players
    "amal": Phrase("amal", "أمل"),
    "basim": Phrase("basim", "باسم"),
    "carla": Phrase("carla", "كارلا"),
    "dina": Phrase("dina", "دينا"),
    "team": Phrase("{first} and {second}", "{first} و{second}"),
    # The match
    "match": Phrase("Tarneeb, {variant} to {target}", "طرنيب، {variant} حتى {target}"),
    "against": Phrase("{team} against {others}", "{team} ضدّ {others}"),
    "variant_classic": Phrase("classic", "كلاسيكي"),
    "variant_eram": Phrase("eram", "إيرام"),
    "variant_egyptian": Phrase("egyptian", "مصري"),
    "variant_clockwise": Phrase("clockwise", "مع عقارب الساعة"),
    "variant_one_go": Phrase("one_go", "توزيع دفعة واحدة"),
    "variant_lebanese": Phrase("lebanese", "لبناني"),
    "variant_forced_dealer": Phrase("forced_dealer", "الموزّع ملزم بالطلب"),
    "hand": Phrase("Hand {number}", "جولة {number}"),
    "dealer": Phrase("dealer {name}", "الموزّع {name}"),
    "calls": Phrase("auction", "المزايدة"),
    "pass": Phrase("pass", "باس"),
    "double": Phrase("double", "دبل"),
    "contract": Phrase("contract", "الطلب"),
    "no_trumps": Phrase("no trumps", "بدون طرنيب"),
    "tricks": Phrase("tricks", "لمّات"),
    "thrown_in": Phrase(
        "Four passes: thrown in, the same dealer deals again.",
        "باس من الأربعة: لا نقاط، ويعيد الموزّع نفسه التوزيع.",
    ),
    "made": Phrase("{team} bid {bid} and took {won}: {points}", "{team}: طلب {bid}، لمّات {won}، نقاط {points}"),
    "kaboot": Phrase("Kaboot! {team} took all thirteen: {points}", "كبّوت! {team}: كل اللمّات، نقاط {points}"),
    "failed": Phrase(
        "{team} bid {bid} but took {won}: {points}; {others}: {others_points}",
        "{team}: طلب {bid}، لمّات {won} فقط، نقاط {points}؛ {others}: نقاط {others_points}",
    ),
    "totals": Phrase("points", "نقاط"),
    # The end
    "winner": Phrase(
        "{team} win the match, {points} to {others_points}.", "فاز بالمباراة {team}، {points} مقابل {others_points}."
    ),
    "sheet": Phrase("Score sheet", "ورقة النقاط"),
    "column_hand": Phrase("hand", "جولة"),
    "column_bidder": Phrase("bid by", "صاحب الطلب"),
    "column_bid": Phrase("bid", "طلب"),
    "column_won": Phrase("took", "لمّات"),
    "column_line": Phrase("line", "المجموع"),
    "column_debt": Phrase("debt", "دَين"),
    "in_debt": Phrase("{team} still owe {debt}: {signed} in all.", "على {team} دَين {debt}، والحاصل {signed}."),
    "events": Phrase(
        "{count} events stored, versions 1 to {count} without a gap.",
        "الأحداث المحفوظة {count}، أرقامها من 1 إلى {count} بلا انقطاع.",
    ),
    "the_match": Phrase("the match", "المباراة"),
    "the_events": Phrase("its events", "أحداثها"),
    "the_docs": Phrase("API pages", "صفحات الواجهة"),
    "play_again": Phrase("play again", "مباراة أخرى"),
    "ask": Phrase("ask the API", "اسأل الواجهة"),
    # Refusals and failures
    "credentials": Phrase(
        "Cannot read the credentials in {path}: {reason}", "تعذّرت قراءة المفاتيح من {path}: {reason}"
    ),
    "bad_address": Phrase("{base_url} is no address of a server: {reason}", "{base_url} ليس عنوان خادم: {reason}"),
    "unreachable": Phrase(
        "No server answers at {base_url} ({reason}). Is it running? `make run` starts it.",
        "لا يجيب أي خادم على {base_url} ({reason}). هل هو شغّال؟ يبدأ بالأمر `make run`.",
    ),
    "busy": Phrase(
        "The server at {base_url} stayed unavailable: {status} {code}, {detail}",
        "بقي الخادم {base_url} غير متاح: {status} {code}، {detail}",
    ),
    "key_refused": Phrase(
        "The server refused the key: {status} {code}, {detail}", "رفض الخادم المفتاح: {status} {code}، {detail}"
    ),
    "refused": Phrase(
        "The server refused the request: {status} {code}, {detail}", "رفض الخادم الطلب: {status} {code}، {detail}"
    ),
    "strange_answer": Phrase(
        "The answer of {request} is not what the API describes: {reason}",
        "جواب {request} ليس كما تصفه الواجهة: {reason}",
    ),
    "stuck": Phrase(
        "Nothing moved for {seconds} seconds at version {version}.",
        "لم يتغيّر شيء منذ {seconds} ثانية عند الرقم {version}.",
    ),
    "no_winner": Phrase("The match ended without a winner: {status}.", "انتهت المباراة بلا فائز: {status}."),
    "gap": Phrase(
        "The log is not 1 to {expected}: it has {count} events, and version {version} is where it breaks.",
        "السجل ليس من 1 إلى {expected}: فيه {count} من الأحداث، وينقطع عند الرقم {version}.",
    ),
    "stopped": Phrase("The demo was stopped.", "توقّف العرض."),
    # The command line
    "about": Phrase(
        "Four clients play a match over the public API and show it.",
        "أربعة لاعبين يلعبون مباراة عبر الواجهة العامة وتُعرض هنا.",
    ),
    "option_credentials": Phrase(
        "the file with base_url and the tenant's key", "الملف الذي فيه base_url ومفتاح المستأجر"
    ),
    "option_base_url": Phrase("the server, if not the file's", "الخادم، إن لم يكن الذي في الملف"),
    "option_variant": Phrase("the rules to play by", "القواعد"),
    "option_target": Phrase("points to play to", "النقاط التي تنتهي عندها المباراة"),
    "option_speed": Phrase("pauses; fast where nobody watches", "السرعة؛ الأسرع إن لم يكن هناك من يشاهد"),
    "option_seed": Phrase(
        "the players' moods: the same number, the same boldness", "أمزجة اللاعبين: نفس الرقم، نفس الجرأة"
    ),
    "option_plain": Phrase("plain lines, no colours", "أسطر بسيطة بلا ألوان"),
    "option_lang": Phrase("the language shown", "لغة العرض"),
}

LEFT_TO_RIGHT = "\u200e"
"""Keeps the columns of a table in their order where a terminal turns Arabic words round."""


class Texts:
    """The catalogue in one language."""

    def __init__(self, language: Language) -> None:
        self.language = language
        self.mark = LEFT_TO_RIGHT if language == "ar" else ""

    def __call__(self, key: str, /, **facts: object) -> str:
        """The text `key`, filled in."""
        phrase = CATALOGUE[key]
        return (phrase.ar if self.language == "ar" else phrase.en).format(**facts)

    def name(self, player: str) -> str:
        """A player's name as this language writes it, or as it is where the catalogue has none."""
        return self(player) if player in CATALOGUE else player

    def variant(self, variant: str) -> str:
        """A variant's name as this language writes it, or as it is."""
        return self(f"variant_{variant}") if f"variant_{variant}" in CATALOGUE else variant

    def signed(self, number: int) -> str:
        """A number whose sign stays before it, also among Arabic words."""
        return f"{self.mark}{number}"

    def gained(self, number: int) -> str:
        """A number with its sign: +9, -8, 0."""
        return f"{self.mark}{number:+d}" if number else "0"


def language_of(environment: Mapping[str, str] = os.environ) -> Language:
    """Arabic where the environment asks for it, by the order that locales are looked up in; else English."""
    asked = next((environment[name] for name in ("LC_ALL", "LC_MESSAGES", "LANG") if environment.get(name)), "")
    return "ar" if asked.lower().split("_")[0].split(".")[0] == "ar" else "en"
