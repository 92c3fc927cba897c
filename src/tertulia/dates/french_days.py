"""Days as people say them in French."""

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

FRENCH_MONTH_REGEX = (
    r"(?:janvier|f[ée]vrier|mars|avril|mai|juin|juillet|ao[ûu]t|septembre|octobre|novembre|d[ée]cembre)"
)
FRENCH_WEEKDAY_REGEX = r"(?:lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche)"
FRENCH_PART_REGEX = r"(?:[ ](?:matin|midi|apr[èe]s-midi|soir))"
FRENCH_DAY_KINDS: tuple[DayKind, ...] = (
    (
        day_pattern(
            rf"(?:(?P<weekday>{FRENCH_WEEKDAY_REGEX}),?[ ](?:le[ ])?)?(?P<day>\d{{1,2}})(?:er)?"
            r"(?:[ ](?:au|et)[ ](?P<last>\d{1,2}))?"
            rf"[ ](?P<month>{FRENCH_MONTH_REGEX})(?:[ ](?P<year>\d{{4}})\b)?{FRENCH_PART_REGEX}?"
            r"(?![ ]bars?\b)"
        ),
        read_written_day,
    ),
    (day_pattern(rf"(?P<month>{FRENCH_MONTH_REGEX})[ ](?P<year>(?:19|20)\d{{2}})\b"), read_continental_month),
    (
        day_pattern(rf"{after_words('en depuis')}(?P<month>{FRENCH_MONTH_REGEX})"),
        read_month,
    ),
    (
        day_pattern(rf"(?P<edge>début|mi|fin)[ -](?P<month>{FRENCH_MONTH_REGEX})"),
        read_continental_edge,
    ),
    (
        day_pattern(
            rf"(?P<weekday>{FRENCH_WEEKDAY_REGEX})(?:[ ](?P<after>prochain|dernier))?"
            rf"{FRENCH_PART_REGEX}?(?![ ]gras\b)"
        ),
        read_continental_weekday,
    ),
    (
        # "hier" alone is German for "here".
        day_pattern(
            r"(?P<word>aujourd['\u2019]hui|demain|après-demain|avant-hier"
            rf"|hier(?={FRENCH_PART_REGEX})){FRENCH_PART_REGEX}?"
        ),
        read_continental_word,
    ),
    (day_pattern(r"(?:ce[ ](?:matin|midi|soir)|cet(?:te)?[ ](?:apr[èe]s-midi|nuit))"), read_part_of_today),
    (
        day_pattern(
            rf"(?P<way>dans|il[ ]y[ ]a)[ ](?P<count>{CONTINENTAL_COUNT_REGEX})[ ](?P<unit>jour|semaine"
            r"|mois|an)s?"
        ),
        read_continental_count,
    ),
    (
        day_pattern(
            r"(?:la|le|l['\u2019])[ ]?(?P<unit>semaine|mois|week-end|année)"
            r"[ ](?P<after>prochaine?|derni[èe]re?|suivante?)"
        ),
        read_continental_period,
    ),
    (
        day_pattern(r"(?P<direction>ce|cette)[ ](?P<unit>semaine|mois|week-end|année)"),
        read_continental_period,
    ),
)
