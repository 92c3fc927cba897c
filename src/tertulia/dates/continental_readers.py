"""What day is meant by words in German, Spanish or French: one reader for each way to say it."""

import re
from datetime import timedelta

from tertulia.dates import calendar_reckoning as reckoning
from tertulia.dates.date_words import MONTH_NUMBERS, SMALL_NUMBERS, WEEKDAY_NUMBERS
from tertulia.dates.day_readers import SaidDay, iso, read_month, read_month_day

CONTINENTAL_COUNT_REGEX = (
    r"(?:\d{1,3}|eine[mr]?|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|una?|dos|tres|cuatro|cinco|seis"
    r"|siete|ocho|nueve|diez|quince|une?|deux|trois|quatre|cinq|six|sept|huit|neuf|dix)"
)
CONTINENTAL_UNITS = {
    **dict.fromkeys(("tag", "día", "dia", "jour"), "day"),
    **dict.fromkeys(("woche", "semana", "semaine"), "week"),
    **dict.fromkeys(("wochenende", "fin de semana", "week-end"), "weekend"),
    **dict.fromkeys(("monat", "mes", "mois"), "month"),
    **dict.fromkeys(("jahr", "año", "an", "année"), "year"),
}
CONTINENTAL_EDGES = {
    **dict.fromkeys(("anfang", "principios", "comienzos", "début"), "beginning"),
    **dict.fromkeys(("mitte", "mediados", "mi"), "middle"),
    **dict.fromkeys(("ende", "finales", "fines", "fin"), "end"),
}
CONTINENTAL_DAYS = {
    "heute": 0,
    "hoy": 0,
    "morgen": 1,
    "mañana": 1,
    "übermorgen": 2,
    "pasado mañana": 2,
    "gestern": -1,
    "ayer": -1,
    "vorgestern": -2,
    "anteayer": -2,
    "aujourd'hui": 0,
    "demain": 1,
    "après-demain": 2,
    "hier": -1,
    "avant-hier": -2,
}
NEXT_PATTERN = re.compile(r"nächst|kommend|pr[óo]xim|que viene|prochain|suivant")
LAST_PATTERN = re.compile(r"letzt|vorig|pasad|derni")


def read_continental_word(said: SaidDay) -> str:
    """Read today, tomorrow and yesterday."""
    return iso(said.said_on + timedelta(CONTINENTAL_DAYS[said.get("word").replace("\u2019", "'")]))


def read_part_of_today(said: SaidDay) -> str:
    """Read this morning, this evening."""
    return iso(said.said_on)


def read_continental_weekday(said: SaidDay) -> str:
    """Read a weekday, of this week or another."""
    words = direction_words(said)
    direction = ""
    if NEXT_PATTERN.search(words):
        direction = "next" if "nächst" in words or "woche" in words else "this"
    elif LAST_PATTERN.search(words):
        direction = "last"
    weekday = WEEKDAY_NUMBERS[said.get("weekday")]
    return iso(reckoning.weekday_near(weekday, direction, said_on=said.said_on, is_past=said.is_past))


def direction_words(said: SaidDay) -> str:
    """Return the words around a day or a week that say which is meant."""
    return f"{said.get('direction')} {said.get('after')}"


def read_continental_count(said: SaidDay) -> str:
    """Read a day so many days, weeks, months or years away."""
    words, unit = said.get("count"), said.get("unit")
    count = int(words) if words.isdigit() else SMALL_NUMBERS.get(words, 1)
    step = -count if said.get("way") in ("vor", "hace", "il y a") else count
    return iso(reckoning.add_units(said.said_on, step, CONTINENTAL_UNITS[unit]))


def read_continental_period(said: SaidDay) -> str:
    """Read this, next or last week, weekend, month or year."""
    words = direction_words(said)
    step = 1 if NEXT_PATTERN.search(words) else -1 if LAST_PATTERN.search(words) else 0
    return reckoning.period_name(said.said_on, CONTINENTAL_UNITS[said.get("unit")], step)


def read_continental_edge(said: SaidDay) -> str:
    """Read the beginning, the middle or the end of a month."""
    return f"{CONTINENTAL_EDGES[said.get('edge')]} of {read_month(said)}"


def read_short_day(said: SaidDay) -> str:
    """Read `3.5.`: a day and a month in figures."""
    month = int(said.get("month"))
    return read_month_day(said, month, int(said.get("day"))) if 1 <= month <= 12 else ""


def read_continental_month(said: SaidDay) -> str:
    """Read a month with its year."""
    return f"{said.get('year')}-{MONTH_NUMBERS[said.get('month').rstrip('.')]:02d}"
