"""Days that a text states, part by part as it states them: so that each part can be compared with a day."""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import date, timedelta

from tertulia.dates.calendar_reckoning import make_day
from tertulia.dates.date_words import MONTH_NUMBERS, WEEKDAY_NUMBERS

#: Names of languages that are not read elsewhere, Italian, Portuguese and Dutch, and short ones of others.
MORE_WEEKDAYS = (
    "lunedì segunda-feira maandag lun",
    "martedì terça-feira dinsdag",
    "mercoledì quarta-feira woensdag mié mer",
    "giovedì quinta-feira donderdag jue jeu",
    "venerdì sexta-feira vrijdag vie ven",
    "sabato zaterdag sáb",
    "domenica zondag dim",
)
#: Two letters are a weekday only as they are written in German before a German date.
GERMAN_SHORT_WEEKDAYS = {"mo": 0, "di": 1, "mi": 2, "do": 3, "fr": 4, "sa": 5, "so": 6}
MORE_MONTHS = (
    "gennaio janeiro januari ene janv",
    "febbraio fevereiro februari févr",
    "março maart",
    "aprile abr avr",
    "maggio maio mei",
    "giugno junho",
    "luglio julho juil",
    "agosto augustus",
    "settembre setembro",
    "ottobre outubro",
    "novembro",
    "dicembre dezembro dic déc",
)
WEEKDAYS = WEEKDAY_NUMBERS | {
    name: number for number, names in enumerate(MORE_WEEKDAYS) for name in names.split()
}
MONTHS = MONTH_NUMBERS | {
    name: number for number, names in enumerate(MORE_MONTHS, 1) for name in names.split()
}
#: A short name is a weekday only beside a day: `sun` and `mon` are words.
SHORT_NAME_MAX_CHARS = 4
RELATIVE_DAYS = {
    "the day after tomorrow": 2,
    "übermorgen": 2,
    "pasado mañana": 2,
    "après-demain": 2,
    "today": 0,
    "tonight": 0,
    "heute": 0,
    "hoy": 0,
    "aujourd'hui": 0,
    "oggi": 0,
    "hoje": 0,
    "tomorrow": 1,
    "demain": 1,
    "domani": 1,
    "amanhã": 1,
    "morgen": 1,
    "mañana": 1,
}


def _any_of(names: Collection[str]) -> str:
    return "|".join(
        re.escape(name).replace("'", "['\\u2019]") for name in sorted(names, key=len, reverse=True)
    )


WEEKDAY_REGEX = _any_of(WEEKDAYS)
LONG_WEEKDAY_REGEX = _any_of([name for name in WEEKDAYS if len(name) > SHORT_NAME_MAX_CHARS])
MONTH_REGEX = _any_of(MONTHS)
NUMBER_REGEX = r"(?:0?[1-9]|[12]\d|3[01])"
ARTICLE_REGEX = r"(?:(?:the|den|dem|der|le|el|il|o|op)\s+)?"
#: `So, 11.12.` is as likely an English sentence.
GERMAN_SHORT_REGEX = r"(?P<german>(?-i:Mo|Di|Mi|Do|Fr|Sa|So(?!,)))\b\.?,?(?=\s+(?:den\s+)?\d{1,2}\.)"
BESIDE_REGEX = rf"(?:(?P<before>{WEEKDAY_REGEX})\b\.?,?|{GERMAN_SHORT_REGEX})\s+{ARTICLE_REGEX}"
BEFORE_REGEX = rf"(?:{BESIDE_REGEX})?"
#: "(Thursday)", "(Thu)", ", a Thursday", ", which is a Thursday".
AFTER_REGEX = (
    rf"(?:,?\s*[(\u2013\u2014-]?\s*(?:which\s+is\s+)?(?:an?\s+|ein\s+|un\s+)?(?P<after>{LONG_WEEKDAY_REGEX})\b\)?"
    rf"|\s*\((?P<enclosed>{WEEKDAY_REGEX})\.?\))?"
)
TIME_AFTER_REGEX = r"\s*(?:uhr|h|am|pm|[ap]\.m|o['\u2019]clock)\b"
YEAR_REGEX = r"(?P<year>(?:19|20)\d{2})(?!\d)"
STATED_PATTERNS = tuple(
    re.compile(rf"(?:(?<![\w/.-])|(?<=\b\d-)|(?<=\b\d\d-)(?<!-\d\d-)){pattern}", re.IGNORECASE)
    for pattern in (
        rf"{BEFORE_REGEX}(?P<iso>\d{{4}}-\d{{2}}-\d{{2}})(?![\d-]){AFTER_REGEX}",
        rf"{BEFORE_REGEX}(?P<first>\d{{1,2}})(?P<mark>[./])\s?(?P<second>\d{{1,2}})(?P=mark)\s?{YEAR_REGEX}{AFTER_REGEX}",
        # Two numbers alone may be anything; beside a weekday they are a date.
        rf"{BESIDE_REGEX}(?P<first>\d{{1,2}})(?P<mark>[./])\s?(?P<second>\d{{1,2}})(?![\d:])(?![./]\s?\d)"
        rf"(?!{TIME_AFTER_REGEX})",
        rf"{BEFORE_REGEX}(?P<day>{NUMBER_REGEX})(?:st|nd|rd|th|er|[.ºª°])?\s+(?:of\s+|de\s+|di\s+)?"
        rf"(?P<month>{MONTH_REGEX})\b\.?(?:,?\s+(?:de\s+|del\s+)?{YEAR_REGEX})?{AFTER_REGEX}",
        rf"{BEFORE_REGEX}(?P<month>{MONTH_REGEX})\b\.?\s+(?:the\s+)?(?P<day>{NUMBER_REGEX})(?:st|nd|rd|th)?\b(?!:)"
        rf"(?:,?\s+{YEAR_REGEX})?{AFTER_REGEX}",
        rf"(?P<before>{LONG_WEEKDAY_REGEX})\b,?\s+(?:the|den|el|le)\s+(?P<day>{NUMBER_REGEX})(?:st|nd|rd|th|er|\.)?(?![\d:h])",
        rf"(?:(?<=\bon the )|(?<=\bfor the ))(?P<day>{NUMBER_REGEX})(?:st|nd|rd|th)\b{AFTER_REGEX}"
        r"(?=\s*(?:[.,;:!?)(]|$|(?:at|from|in)\b))",
        rf"(?P<relative>{_any_of(RELATIVE_DAYS)})\b",
        rf"(?P<before>{LONG_WEEKDAY_REGEX})\b",
    )
)
#: What makes a time of day of a word that can also mean tomorrow.
MORNING_BEFORE_PATTERN = re.compile(
    r"\b(?:la|esta|cada|buena|am|jeden|guten|diesen|heute|diese[rn]?|por)\s+$", re.IGNORECASE
)


#: The other end of several days of one month.
FIRST_OF_RANGE_PATTERN = re.compile(rf"(?<![\w:/.-])(?P<day>{NUMBER_REGEX})\.?\s?[-\u2013\u2014]\s?$")
LAST_OF_RANGE_PATTERN = re.compile(rf"\s?[-\u2013\u2014]\s?(?P<day>{NUMBER_REGEX})(?![\w:/-])(?!\.\d)")


@dataclass(frozen=True, slots=True)
class StatedDay:
    """A day as a text states it: what it does not say is None."""

    start: int
    end: int
    said: str
    weekday: int | None = None
    day: int | None = None
    months: tuple[int, ...] = ()
    year: int | None = None
    #: Of two numbers it is not known which is the month: the other order.
    turned: tuple[int, int] | None = None

    @property
    def has_date(self) -> bool:
        """Tell whether it says more than a weekday."""
        return self.day is not None

    def is_date_of(self, day: date) -> bool:
        """Tell whether the date that is stated is a day's, whatever weekday is said with it."""
        if self.day is None or (self.year is not None and self.year != day.year):
            return False
        if self.turned is not None and self.turned == (day.day, day.month):
            return True
        return self.day == day.day and (not self.months or day.month in self.months)

    def has_weekday_of(self, day: date) -> bool:
        """Tell whether no other weekday than a day's is stated."""
        return self.weekday is None or self.weekday == day.weekday()

    def agrees_with(self, day: date) -> bool:
        """Tell whether all that is stated is true of a day."""
        return self.has_weekday_of(day) and (not self.has_date or self.is_date_of(day))


def find_stated_days(text: str, *, today: date) -> list[StatedDay]:
    """Return the days that a text states, in their order; the longest where several begin or overlap."""
    found = [stated for pattern in STATED_PATTERNS for stated in _find(pattern, text, today)]
    kept: list[StatedDay] = []
    for stated in sorted(found, key=lambda one: one.start - one.end):
        if all(stated.end <= other.start or stated.start >= other.end for other in kept):
            kept.append(stated)
    return sorted(kept, key=lambda one: one.start)


def _find(pattern: re.Pattern[str], text: str, today: date) -> Iterator[StatedDay]:
    for match in pattern.finditer(text):
        parts = {name: value for name, value in match.groupdict().items() if value}
        if stated := _read(match, parts, text, today):
            yield stated
            if "month" in parts:
                yield from _find_other_end(stated, text)


def _find_other_end(stated: StatedDay, text: str) -> Iterator[StatedDay]:
    """Yield the day that shares the month of another: "7\u20139 December", "December 7\u20139"."""
    for found in (
        FIRST_OF_RANGE_PATTERN.search(text, 0, stated.start),
        LAST_OF_RANGE_PATTERN.match(text, stated.end),
    ):
        if found:
            place = (*found.span("day"), found["day"])
            yield StatedDay(*place, None, int(found["day"]), stated.months, stated.year)


def _read(match: re.Match[str], parts: dict[str, str], text: str, today: date) -> StatedDay | None:
    said = match[0].rstrip(" .,(\u2013\u2014-")
    place = (match.start(), match.start() + len(said), said)
    if "relative" in parts:
        return _read_relative(match, parts["relative"], text, today)
    weekday = _read_weekday(parts)
    year = int(parts["year"]) if "year" in parts else None
    if "iso" in parts:
        return _read_iso(place, parts["iso"], weekday)
    if "first" in parts:
        first, second = int(parts["first"]), int(parts["second"])
        if not _is_date(first, second, can_turn=parts["mark"] == "/" or year is not None):
            return None
        return StatedDay(*place, weekday, first, (second,), year, turned=(second, first))
    months = (MONTHS[parts["month"].casefold()],) if "month" in parts else ()
    return StatedDay(*place, weekday, int(parts["day"]) if "day" in parts else None, months, year)


def _read_weekday(parts: dict[str, str]) -> int | None:
    if "german" in parts:
        return GERMAN_SHORT_WEEKDAYS[parts["german"].casefold()]
    name = parts.get("before") or parts.get("after") or parts.get("enclosed")
    return WEEKDAYS[name.casefold()] if name else None


def _is_date(first: int, second: int, *, can_turn: bool) -> bool:
    """Tell whether two numbers are a day and a month: with a dot between them they may be a time of day."""
    is_plain = 1 <= first <= 31 and 1 <= second <= 12
    return is_plain or (can_turn and 1 <= first <= 12 and 1 <= second <= 31)


def _read_iso(place: tuple[int, int, str], iso: str, weekday: int | None) -> StatedDay | None:
    day = make_day(*map(int, iso.split("-")))
    return StatedDay(*place, weekday, day.day, (day.month,), day.year) if day else None


def _read_relative(match: re.Match[str], word: str, text: str, today: date) -> StatedDay | None:
    if word.casefold() in ("morgen", "mañana") and MORNING_BEFORE_PATTERN.search(text[: match.start()]):
        return None
    if word == "Morgen":  # In German a noun: the morning.
        return None
    day = today + timedelta(days=RELATIVE_DAYS[word.casefold().replace("\u2019", "'")])
    return StatedDay(*match.span(), match[0], None, day.day, (day.month,), day.year)
