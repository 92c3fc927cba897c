"""Days as people say them in German."""

import re

from tertulia.dates.continental_readers import (
    CONTINENTAL_COUNT_REGEX,
    read_continental_count,
    read_continental_edge,
    read_continental_month,
    read_continental_period,
    read_continental_weekday,
    read_continental_word,
    read_short_day,
)
from tertulia.dates.day_patterns import DayKind, day_pattern
from tertulia.dates.day_readers import read_month, read_written_day
from tertulia.dates.word_contexts import after_words

GERMAN_MONTH_REGEX = (
    r"(?:Januar|Jänner|Februar|März|Maerz|April|Mai|Juni|Juli|August|September|Oktober|November|Dezember"
    r"|(?:Jan|Feb|Apr|Aug|Sept?|Okt|Nov|Dez)\b\.?)"
)
GERMAN_WEEKDAY_REGEX = r"(?:Montag|Dienstag|Mittwoch|Donnerstag|Freitag|Samstag|Sonnabend|Sonntag)"
GERMAN_DIRECTION_REGEX = r"(?P<direction>(?:nächste|kommende|diese|letzte|vorige)[nrms]?)"
GERMAN_PART_REGEX = r"(?:[ ]?(?:früh|abend|nachmittag|vormittag|mittag|morgen|nacht))"
GERMAN_DAY_KINDS: tuple[DayKind, ...] = (
    (
        day_pattern(
            rf"(?:{GERMAN_WEEKDAY_REGEX},?[ ](?:den[ ]|der[ ])?)?(?P<day>\d{{1,2}})\.(?:[ ]?(?:-|\u2013"
            rf"|bis(?:[ ]zum)?)[ ]?(?P<last>\d{{1,2}})\.)?[ ]?(?P<month>{GERMAN_MONTH_REGEX})(?:"
            rf"[ ](?P<year>\d{{4}})\b)?"
        ),
        read_written_day,
    ),
    (day_pattern(rf"(?P<month>{GERMAN_MONTH_REGEX})[ ](?P<year>(?:19|20)\d{{2}})\b"), read_continental_month),
    (day_pattern(rf"{after_words('im seit bis ab')}(?P<month>{GERMAN_MONTH_REGEX})"), read_month),
    (
        day_pattern(rf"(?P<edge>Anfang|Mitte|Ende)[ ](?P<month>{GERMAN_MONTH_REGEX})"),
        read_continental_edge,
    ),
    (
        day_pattern(
            rf"(?:{GERMAN_WEEKDAY_REGEX},?[ ](?:den[ ])?|{after_words('am zum ab bis vom der')})"
            r"(?P<day>[0-3]?\d)\.(?P<month>[01]?\d)\.(?!\d)"
        ),
        read_short_day,
    ),
    (
        day_pattern(
            rf"(?:{GERMAN_DIRECTION_REGEX}[ ])?(?P<weekday>{GERMAN_WEEKDAY_REGEX}){GERMAN_PART_REGEX}?"
            r"(?:[ ](?P<after>(?:nächste|kommende|diese|letzte)r?[ ]Woche))?"
        ),
        read_continental_weekday,
    ),
    (
        day_pattern(
            rf"{GERMAN_DIRECTION_REGEX}[ ]Woche[ ](?P<weekday>{GERMAN_WEEKDAY_REGEX}){GERMAN_PART_REGEX}?"
        ),
        read_continental_weekday,
    ),
    (
        re.compile(
            r"(?<![\w-])(?<!\b[Gg]uten[ ])(?<!\b[Aa]m[ ])(?<!\bjeden[ ])(?P<word>[Hh]eute|[Mm]orgen"
            r"|[Üü]bermorgen|[Gg]estern|[Vv]orgestern)"
            r"(?:[ ](?:früh|[Aa]bend|[Nn]achmittag|[Vv]ormittag|[Mm]ittag|[Mm]orgen|[Nn]acht))?(?!\w)"
        ),
        read_continental_word,
    ),
    (
        day_pattern(
            rf"(?P<way>in|vor)[ ](?P<count>{CONTINENTAL_COUNT_REGEX})[ ](?P<unit>Tag|Woche|Monat"
            r"|Jahr)(?:en|n|e)?"
        ),
        read_continental_count,
    ),
    (day_pattern(rf"{GERMAN_DIRECTION_REGEX}[ ](?P<unit>Woche|Monat|Jahr)"), read_continental_period),
    (
        day_pattern(rf"(?:{GERMAN_DIRECTION_REGEX}[ ]|(?<=\bam[ ]))(?P<unit>Wochenende)"),
        read_continental_period,
    ),
)
