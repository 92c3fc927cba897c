"""Days as they are counted from others in English: weekdays, tomorrow, next week, in three days."""

import re

from tertulia.dates.day_patterns import (
    AFTER_ORDINAL_REGEX,
    ANY_WEEKDAY_REGEX,
    COUNT_REGEX,
    MONTH_REGEX,
    PART_REGEX,
    SHORT_WEEKDAY_REGEX,
    UNIT_REGEX,
    WEEKDAY_REGEX,
    YEAR_AFTER_REGEX,
    DayKind,
    day_pattern,
)
from tertulia.dates.day_readers import (
    read_counted_day,
    read_day_beyond,
    read_later_day,
    read_month_edge,
    read_nth_day,
    read_period,
    read_period_edge,
    read_recurring_days,
    read_relative_day,
    read_weekday,
    read_weekday_range,
)
from tertulia.dates.word_contexts import after_words, not_after_words

RELATIVE_DAY_KINDS: tuple[DayKind, ...] = (
    (
        day_pattern(
            r"(?:(?P<direction>this[ ]coming|this[ ]past|this|next|last|past|coming|the[ ]following"
            rf"|every|each)[ ])?(?P<weekday>{WEEKDAY_REGEX})(?P<plural>s(?=[ .,;!?)]|$))?"
            r"(?:[ ](?P<after>this[ ]week|next[ ]week|after[ ]next|last[ ]week|of[ ](?:this|next|last)"
            rf"[ ]week|next))?{PART_REGEX}?"
        ),
        read_weekday,
    ),
    (
        re.compile(
            r"(?:(?<![\w/-])(?P<direction>[Tt]his|[Nn]ext|[Ll]ast|[Ee]very)[ ]|(?<=\b[Oo]n[ ])"
            r"|(?<=\b[Bb]y[ ])"
            r"|(?<=til[ ])|(?<=or[ ])|(?<=nd[ ])|(?<=om[ ])|(?<=to[ ])|\b(?=(?:Tue|Thu|Fri)))"
            r"(?P<weekday>Mon|Tues?|Weds?|Thu(?:rs?)?|Fri|Sat|Sun)\b\.?(?:[ ](?P<after>this[ ]week"
            rf"|next[ ]week))?{PART_REGEX}?(?=[ .,;!?)\n]|$)(?![ ][A-Z][a-z])"
        ),
        read_weekday,
    ),
    # In small letters some are plain words: "wed", "sat", "sun".
    (
        re.compile(
            rf"(?<![\w-])(?P<weekday>thurs|thur|tues|weds|fri|thu|tue)\b\.?{PART_REGEX}?(?=[ .,;!?)\n]|$)"
        ),
        read_weekday,
    ),
    (
        re.compile(
            rf"{after_words('on by til till until from')}(?P<weekday>mon|wed|sat|sun)\b\.?"
            rf"{AFTER_ORDINAL_REGEX}"
        ),
        read_weekday,
    ),
    (
        re.compile(
            rf"(?<![\w-]){not_after_words('we i he she they who I We He She They')}"
            r"(?:(?P<direction>this|next|last)[ ])?(?P<weekday>mon|wed|sat|sun|Mon|Wed|Sat|Sun)"
            rf"{PART_REGEX}(?!\w)"
        ),
        read_weekday,
    ),
    (
        day_pattern(
            rf"(?P<first_day>{ANY_WEEKDAY_REGEX})(?:[ ]?[-\u2013][ ]?|[ ]thr(?:u|ough)[ ])"
            rf"(?P<last_day>{ANY_WEEKDAY_REGEX})(?![ ]\d{{1,2}}(?:[ ,.]|$))"
        ),
        read_weekday_range,
    ),
    (
        day_pattern(
            rf"(?P<first_day>{SHORT_WEEKDAY_REGEX})[ ]to[ ](?P<last_day>{SHORT_WEEKDAY_REGEX})"
            r"(?![ ]\d{1,2}(?:[ ,.]|$))"
        ),
        read_weekday_range,
    ),
    (
        day_pattern(r"(?:the[ ])?day[ ](?P<side>after|before)[ ](?:tomorrow|tmrw|tmr|2moro|yesterday)"),
        read_day_beyond,
    ),
    (
        day_pattern(
            r"(?:(?:later|earlier|early|late)[ ])?(?P<word>today|tonight|tomorrow|tommorow|tomorow|tmrw"
            r"|tmr|tmw|tmrow|tomoz|2moro|2morrow|2nite|tonite|yesterday|last[ ]night"
            rf"|this(?=[ ](?:morning|afternoon|evening)\b)){PART_REGEX}?"
        ),
        read_relative_day,
    ),
    (
        day_pattern(
            r"(?:in|within)[ ](?:about[ ]|around[ ]|the[ ]next"
            rf"[ ])?(?P<count>{COUNT_REGEX})[ -]{UNIT_REGEX}(?:['\u2019][ ]?time)?(?![ ](?:ago|old))"
        ),
        read_counted_day,
    ),
    (
        day_pattern(
            rf"(?P<count>{COUNT_REGEX})[ ](?P<unit>day|night|week|fortnight|month|year|hour|minute|min|hr)s?"
            r"[ ](?P<ago>ago|earlier)"
        ),
        read_counted_day,
    ),
    (
        day_pattern(
            rf"(?P<count>{COUNT_REGEX})[ ]{UNIT_REGEX}[ ]from[ ](?:now|(?P<from_word>today|tomorrow)"
            rf"|(?P<from_day>{WEEKDAY_REGEX}))"
        ),
        read_counted_day,
    ),
    (
        day_pattern(
            rf"(?P<count>{COUNT_REGEX})[ ](?P<unit>week|fortnight)s?[ ](?:(?P<from_word>today|tomorrow)"
            rf"|on[ ](?P<from_day>{WEEKDAY_REGEX}))"
        ),
        read_counted_day,
    ),
    (day_pattern(rf"(?P<from_day>{WEEKDAY_REGEX})[ ](?P<unit>week|fortnight)(?![ ]\d)"), read_counted_day),
    (
        day_pattern(rf"(?P<count>{COUNT_REGEX})[ ](?P<unit>minute|hour|day|night|week|month|year)s?[ ]later"),
        read_later_day,
    ),
    (
        day_pattern(
            r"the[ ](?:(?:next|following)[ ](?P<unit>day|morning|afternoon|evening|night)"
            r"|day[ ]after(?=\s*(?:$|[.,;!?])))"
        ),
        read_later_day,
    ),
    (
        day_pattern(r"(?:every|each|any)[ ](?P<kind>weekday|weekend|day(?=[ ](?:after|before)[ ]\d))"),
        read_recurring_days,
    ),
    (day_pattern(r"(?P<kind>weekdays|weekends)"), read_recurring_days),
    (
        day_pattern(
            r"(?:(?:the|(?P<every>every))[ ])?(?P<which>first|second|third|fourth|last)"
            rf"[ ](?:(?P<weekday>{WEEKDAY_REGEX})|day)"
            rf"[ ](?:of|in)[ ](?:(?P<month>{MONTH_REGEX}){YEAR_AFTER_REGEX}?"
            r"|(?P<month_word>this|next|last|the|every|each)[ ]month)"
        ),
        read_nth_day,
    ),
    (
        day_pattern(
            r"(?:the[ ])?(?P<edge>end|beginning|start|middle|(?:first|second|third|fourth|last)[ ](?:week"
            rf"|weekend|half))[ ](?:of|in)[ ](?P<month>{MONTH_REGEX}){YEAR_AFTER_REGEX}?"
        ),
        read_month_edge,
    ),
    (
        day_pattern(
            r"(?P<direction>this[ ]coming|this[ ]past|this|next|last|past|coming|the[ ]following)"
            r"[ ](?P<unit>week(?:end)?|month|quarter|year|spring|summer|autumn|fall|winter)(?:[ ]after"
            r"[ ]next)?"
        ),
        read_period,
    ),
    (day_pattern(r"(?:(?P<direction>the)[ ])(?P<unit>weekend)"), read_period),
    (
        day_pattern(
            r"(?:the[ ])?(?P<edge>end|beginning|start|middle)[ ]of[ ](?:the[ ]|(?P<direction>this|next"
            r"|last)[ ])(?P<unit>week|month|quarter|year)"
        ),
        read_period_edge,
    ),
    (
        day_pattern(r"(?P<direction>the)[ ](?P<unit>week(?:end)?|month|year)[ ](?P<skip>after[ ]next)"),
        read_period,
    ),
)
