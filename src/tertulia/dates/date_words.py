"""Words of dates in English, German, Spanish and French, and the days of feasts."""

from datetime import date, timedelta

MONTH_NUMBERS = {
    name: number
    for number, names in enumerate(
        (
            "january jan januar jänner enero janvier",
            "february feb februar febrero février fevrier",
            "march mar märz maerz marzo mars",
            "april apr abril avril",
            "may mai mayo",
            "june jun juni junio juin",
            "july jul juli julio juillet",
            "august aug agosto août aout",
            "september sept sep septiembre setiembre septembre",
            "october oct oktober okt octubre octobre",
            "november nov noviembre novembre",
            "december dec dezember dez diciembre décembre decembre",
        ),
        1,
    )
    for name in names.split()
}
WEEKDAY_NUMBERS = {
    name: number
    for number, names in enumerate(
        (
            "monday mon montag lunes lundi",
            "tuesday tues tue dienstag martes mardi",
            "wednesday wed weds mittwoch miércoles miercoles mercredi",
            "thursday thurs thur thu donnerstag jueves jeudi",
            "friday fri freitag viernes vendredi",
            "saturday sat samstag sonnabend sábado sabado samedi",
            "sunday sun sonntag domingo dimanche",
        )
    )
    for name in names.split()
}
SMALL_NUMBERS = {
    name: number
    for number, names in enumerate(
        (
            "a an one ein eins eine einem einer un una une",
            "two couple zwei dos deux",
            "three few drei tres trois",
            "four vier cuatro quatre",
            "five fünf cinco cinq",
            "six sechs seis",
            "seven sieben siete sept",
            "eight acht ocho huit",
            "nine neun nueve neuf",
            "ten zehn diez dix",
            "eleven elf once onze",
            "twelve zwölf doce douze",
        ),
        1,
    )
    for name in names.split()
} | {"fifteen": 15, "twenty": 20, "thirty": 30, "quince": 15}
ORDINAL_WORD_TEXT = """
    first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth
    fifteenth sixteenth seventeenth eighteenth nineteenth twentieth twenty-first twenty-second twenty-third
    twenty-fourth twenty-fifth twenty-sixth twenty-seventh twenty-eighth twenty-ninth thirtieth thirty-first
"""
ORDINAL_NUMBERS = {word: number for number, word in enumerate(ORDINAL_WORD_TEXT.split(), 1)}
#: Feasts on the same day of every year.
FIXED_FEASTS = {
    "christmas": (12, 25),
    "christmas day": (12, 25),
    "xmas": (12, 25),
    "christmas eve": (12, 24),
    "boxing day": (12, 26),
    "new year's": (1, 1),
    "new year's day": (1, 1),
    "new year's eve": (12, 31),
    "nye": (12, 31),
    "valentine's day": (2, 14),
    "valentine's": (2, 14),
    "st patrick's day": (3, 17),
    "saint patrick's day": (3, 17),
    "halloween": (10, 31),
    "independence day": (7, 4),
    "veterans day": (11, 11),
    "bonfire night": (11, 5),
    "cinco de mayo": (5, 5),
    "groundhog day": (2, 2),
    "burns night": (1, 25),
    "australia day": (1, 26),
    "anzac day": (4, 25),
    "canada day": (7, 1),
    "bastille day": (7, 14),
    "remembrance day": (11, 11),
    "all saints' day": (11, 1),
    "noël": (12, 25),
    "saint-sylvestre": (12, 31),
    "heilige drei könige": (1, 6),
    "día de reyes": (1, 6),
    "juneteenth": (6, 19),
    "april fools' day": (4, 1),
    "epiphany": (1, 6),
    "earth day": (4, 22),
    "may day": (5, 1),
    "guy fawkes night": (11, 5),
    "all souls' day": (11, 2),
    "st andrew's day": (11, 30),
    "st stephen's day": (12, 26),
    "tag der arbeit": (5, 1),
    "tag der deutschen einheit": (10, 3),
    "nikolaus": (12, 6),
    "erster weihnachtstag": (12, 25),
    "ersten weihnachtstag": (12, 25),
    "zweiter weihnachtstag": (12, 26),
    "zweiten weihnachtstag": (12, 26),
    "jour de l'an": (1, 1),
    "nouvel an": (1, 1),
    "fête du travail": (5, 1),
    "fête nationale": (7, 14),
    "toussaint": (11, 1),
    "todos los santos": (11, 1),
    "heiligabend": (12, 24),
    "weihnachten": (12, 25),
    "silvester": (12, 31),
    "neujahr": (1, 1),
    "navidad": (12, 25),
    "nochebuena": (12, 24),
    "nochevieja": (12, 31),
    "año nuevo": (1, 1),
}
#: Feasts on a weekday: the month, the weekday and which of that month, counted from its end where negative.
WEEKDAY_FEASTS = {
    "thanksgiving": (11, 3, 4),
    "thanksgiving day": (11, 3, 4),
    "labor day": (9, 0, 1),
    "memorial day": (5, 0, -1),
    "martin luther king day": (1, 0, 3),
    "mlk day": (1, 0, 3),
    "presidents' day": (2, 0, 3),
    "columbus day": (10, 0, 2),
    "mother's day": (5, 6, 2),
    "father's day": (6, 6, 3),
}
#: Feasts by their distance from Thanksgiving.
THANKSGIVING_FEASTS = {"black friday": 1, "cyber monday": 4}
#: Feasts by their distance from Easter Sunday.
EASTER_FEASTS = {
    "shrove tuesday": -47,
    "pancake day": -47,
    "ash wednesday": -46,
    "palm sunday": -7,
    "maundy thursday": -3,
    "good friday": -2,
    "christi himmelfahrt": 39,
    "pâques": 0,
    "lundi de pâques": 1,
    "viernes santo": -2,
    "domingo de pascua": 0,
    "easter": 0,
    "easter sunday": 0,
    "easter monday": 1,
    "ostern": 0,
    "karfreitag": -2,
    "ostermontag": 1,
    "pfingsten": 49,
    "pentecost": 49,
    "pentecôte": 49,
    "pfingstmontag": 50,
    "whit monday": 50,
    "lundi de pentecôte": 50,
    "ascension day": 39,
    "fronleichnam": 60,
    "rosenmontag": -48,
    "aschermittwoch": -46,
    "gründonnerstag": -3,
    "jueves santo": -3,
    "domingo de ramos": -7,
    "lunes de pascua": 1,
}
FEAST_NAMES = (*FIXED_FEASTS, *WEEKDAY_FEASTS, *THANKSGIVING_FEASTS, *EASTER_FEASTS)


def feast_day(name: str, year: int) -> date | None:
    """Return the day of a feast in a year."""
    if name in FIXED_FEASTS:
        return date(year, *FIXED_FEASTS[name])
    if name in EASTER_FEASTS:
        return easter_sunday(year) + timedelta(EASTER_FEASTS[name])
    if name in THANKSGIVING_FEASTS:
        return weekday_of_month(year, *WEEKDAY_FEASTS["thanksgiving"]) + timedelta(THANKSGIVING_FEASTS[name])
    return weekday_of_month(year, *WEEKDAY_FEASTS[name]) if name in WEEKDAY_FEASTS else None


def weekday_of_month(year: int, month: int, weekday: int, which: int) -> date:
    """Return the first, second … such weekday of a month; -1 means the last."""
    if which < 0:
        last = (date(year, month, 28) + timedelta(4)).replace(day=1) - timedelta(1)
        return last - timedelta((last.weekday() - weekday) % 7)
    first = date(year, month, 1)
    return first + timedelta((weekday - first.weekday()) % 7 + 7 * (which - 1))


def easter_sunday(year: int) -> date:
    """Return Easter Sunday of a year, by the reckoning of Meeus, Jones and Butcher."""
    golden, century = year % 19, year // 100
    epact = (19 * golden + century - century // 4 - (century - (century + 8) // 25 + 1) // 3 + 15) % 30
    weekday = (32 + 2 * (century % 4) + 2 * (year % 100 // 4) - epact - year % 100 % 4) % 7
    shift = (golden + 11 * epact + 22 * weekday) // 451
    month, day = divmod(epact + weekday - 7 * shift + 114, 31)
    return date(year, month, day + 1)
