"""Days as people say them in Spanish."""

import re

from tertulia.dates.continental_readers import (
    CONTINENTAL_COUNT_REGEX,
    read_continental_count,
    read_continental_edge,
    read_continental_month,
    read_continental_period,
    read_continental_weekday,
    read_continental_word,
    read_part_of_today,
)
from tertulia.dates.day_patterns import DayKind, day_pattern
from tertulia.dates.day_readers import read_month, read_written_day
from tertulia.dates.word_contexts import after_words

SPANISH_MONTH_REGEX = (
    r"(?:enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|setiembre|octubre|noviembre|diciembre)"
)
SPANISH_WEEKDAY_REGEX = r"(?:lunes|martes|mi[ée]rcoles|jueves|viernes|s[áa]bado|domingo)"
SPANISH_PART_REGEX = r"(?:[ ]por[ ]la[ ](?:mañana|tarde|noche))"
SPANISH_AFTER_REGEX = r"(?:[ ](?P<after>que[ ]viene|pr[óo]ximo|pasado))"
SPANISH_DAY_KINDS: tuple[DayKind, ...] = (
    (
        day_pattern(
            rf"(?:{SPANISH_WEEKDAY_REGEX},?[ ])?(?P<day>\d{{1,2}})(?:[ ](?:al|a|y)[ ](?P<last>\d{{1,2}}))?"
            rf"[ ]de[ ](?P<month>{SPANISH_MONTH_REGEX})(?:[ ]del?[ ](?P<year>\d{{4}})\b)?"
            rf"{SPANISH_PART_REGEX}?"
        ),
        read_written_day,
    ),
    (day_pattern(rf"(?P<month>{SPANISH_MONTH_REGEX})[ ]del?[ ](?P<year>\d{{4}})\b"), read_continental_month),
    (
        day_pattern(rf"{after_words('en desde hasta para')}(?P<month>{SPANISH_MONTH_REGEX})"),
        read_month,
    ),
    (
        day_pattern(
            rf"(?P<edge>principios|comienzos|mediados|finales|fines)[ ]de[ ](?P<month>{SPANISH_MONTH_REGEX})"
        ),
        read_continental_edge,
    ),
    (
        day_pattern(
            r"(?:(?<=\bel[ ])|(?<=\beste[ ])|(?P<direction>pr[óo]ximo)[ ])"
            rf"(?P<weekday>{SPANISH_WEEKDAY_REGEX}){SPANISH_AFTER_REGEX}?{SPANISH_PART_REGEX}?"
        ),
        read_continental_weekday,
    ),
    # Weekdays are written small; in capitals, Domingo is somebody.
    (
        re.compile(
            rf"(?<![\w-])(?P<weekday>{SPANISH_WEEKDAY_REGEX}){SPANISH_AFTER_REGEX}?{SPANISH_PART_REGEX}?(?!\w)"
        ),
        read_continental_weekday,
    ),
    (
        re.compile(
            r"(?<!\w)(?<!\bla[ ])(?P<word>[Hh]oy|[Pp]asado[ ]mañana|[Mm]añana|[Aa]yer|[Aa]nteayer)"
            rf"{SPANISH_PART_REGEX}?(?!\w)"
        ),
        read_continental_word,
    ),
    (day_pattern(r"esta[ ](?:mañana|tarde|noche)"), read_part_of_today),
    (
        day_pattern(
            rf"(?P<way>dentro[ ]de|en|hace)[ ](?P<count>{CONTINENTAL_COUNT_REGEX})[ ](?P<unit>d[íi]a"
            r"|semana|mes|año)(?:es|s)?"
        ),
        read_continental_count,
    ),
    (
        day_pattern(r"(?P<direction>est[ea]|pr[óo]xim[oa])[ ](?P<unit>fin[ ]de[ ]semana|semana|mes|año)"),
        read_continental_period,
    ),
    (
        day_pattern(
            r"(?:la|el)[ ](?P<unit>fin[ ]de[ ]semana|semana|mes|año)"
            r"[ ](?P<after>que[ ]viene|pasad[oa]|pr[óo]xim[oa])"
        ),
        read_continental_period,
    ),
)
