"""Numbers in words of German, Spanish and French, as far as a clock or a month counts."""

from tertulia.dates.word_tables import WordTable, number_table

GERMAN_TENS = {"zwanzig": 20, "dreißig|dreissig": 30, "vierzig": 40, "fünfzig": 50}
GERMAN_UNIT_TEXT = "ein zwei drei vier fünf sechs sieben acht neun"
GERMAN_TEEN_TEXT = "zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn achtzehn neunzehn"
GERMAN_SMALL_ORDINAL_TEXT = "erst zweit dritt viert fünft sechst siebt|siebent acht neunt"
GERMAN_ORDINAL_ENDINGS = ("e", "en", "er", "es", "em")
SPANISH_TENS = {"treinta": 30, "cuarenta": 40, "cincuenta": 50}
SPANISH_UNIT_TEXT = "un|uno|una dos tres cuatro cinco seis siete ocho nueve"
SPANISH_TEEN_TEXT = """
    diez once doce trece catorce quince dieciséis|dieciseis diecisiete dieciocho diecinueve veinte
    veintiuno|veintiún|veintiun|veintiuna veintidós|veintidos veintitrés|veintitres veinticuatro veinticinco
    veintiséis|veintiseis veintisiete veintiocho veintinueve
"""
FRENCH_TENS = {"vingt": 20, "trente": 30, "quarante": 40, "cinquante": 50}
FRENCH_UNIT_TEXT = "un|une deux trois quatre cinq six sept huit neuf"
FRENCH_TEEN_TEXT = "dix onze douze treize quatorze quinze seize"
#: Minutes that people say after an hour, or before it.
SPANISH_SHIFTS = {"cinco": 5, "diez": 10, "veinte": 20, "veinticinco": 25}
FRENCH_SHIFTS = {"cinq": 5, "dix": 10, "vingt": 20, "vingt - cinq": 25, "vingt cinq": 25}


def _list_units(text: str) -> list[tuple[str, int]]:
    """Return the words for 1 to 9 with their numbers."""
    return [(way, number) for number, word in enumerate(text.split(), 1) for way in word.split("|")]


def _list_german_tens() -> list[tuple[str, int]]:
    """Return "zwanzig", "einundzwanzig" and so on, with their numbers."""
    tens = [(way, number) for words, number in GERMAN_TENS.items() for way in words.split("|")]
    joined = [
        (f"{unit}und{word}", number + count)
        for word, number in tens
        for unit, count in _list_units(GERMAN_UNIT_TEXT)
    ]
    return tens + joined


def make_german_numbers() -> WordTable:
    """Return cardinals and, with each of their endings, ordinals."""
    stems = [
        *_list_units(GERMAN_SMALL_ORDINAL_TEXT),
        *((f"{word}t", number) for number, word in enumerate(GERMAN_TEEN_TEXT.split(), 10)),
        *((f"{word}st", number) for word, number in _list_german_tens()),
    ]
    return {
        **number_table(f"eins|{GERMAN_UNIT_TEXT} {GERMAN_TEEN_TEXT}"),
        **{(word,): f"{number}" for word, number in _list_german_tens()},
        **{(stem + ending,): f"{number}th" for stem, number in stems for ending in GERMAN_ORDINAL_ENDINGS},
        # Of minutes after the hour the clock shows two figures.
        **{("uhr", word): f"o'clock 0{number}" for word, number in _list_units(GERMAN_UNIT_TEXT)},
    }


def make_spanish_numbers() -> WordTable:
    """Return cardinals, and minutes before and after an hour."""
    units = _list_units(SPANISH_UNIT_TEXT)
    return {
        **number_table(f"{SPANISH_UNIT_TEXT} {SPANISH_TEEN_TEXT}"),
        **{(word,): f"{number}" for word, number in SPANISH_TENS.items()},
        **{
            (word, "y", unit): f"{number + count}"
            for word, number in SPANISH_TENS.items()
            for unit, count in units
        },
        **{("y", word): f"{number}-after" for word, number in SPANISH_SHIFTS.items()},
        **{("menos", word): f"{number}-before" for word, number in SPANISH_SHIFTS.items()},
    }


def make_french_numbers() -> WordTable:
    """Return cardinals, with a hyphen or without, and minutes before an hour."""
    units = _list_units(FRENCH_UNIT_TEXT)
    tens = [*FRENCH_TENS.items(), ("dix", 10)]
    return {
        **number_table(f"{FRENCH_UNIT_TEXT} {FRENCH_TEEN_TEXT}"),
        **{(word,): f"{number}" for word, number in FRENCH_TENS.items()},
        **{
            (word, *joint, unit): f"{number + count}"
            for word, number in tens
            for unit, count in units
            for joint in ((), ("-",), ("et",), ("-", "et", "-"))
            if (count == 1) == ("et" in joint) and (number > 10 or count >= 7)
        },
        **{("moins", *words.split()): f"{number}-before" for words, number in FRENCH_SHIFTS.items()},
        ("heures", "cinq"): "hours 05",
        ("heure", "cinq"): "hours 05",
    }
