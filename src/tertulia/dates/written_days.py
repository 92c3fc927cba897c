"""Days with their number, month or name, as they are written in English."""

import re

from tertulia.dates.day_patterns import (
    AFTER_ORDINAL_REGEX,
    ANY_WEEKDAY_REGEX,
    DAY_REGEX,
    DEED_REGEX,
    FEAST_REGEX,
    MONTH_REGEX,
    ORDINAL_WORD_REGEX,
    PART_REGEX,
    YEAR_AFTER_REGEX,
    YEAR_REGEX,
    DayKind,
    day_pattern,
)
from tertulia.dates.day_readers import (
    read_card_month,
    read_day_of_month,
    read_feast,
    read_iso_day,
    read_month,
    read_numeric_day,
    read_season,
    read_written_day,
    read_year,
)
from tertulia.dates.word_contexts import after_words, not_after_words

#: "the 21st or 22nd"
AFTER_OTHER_DAY_REGEX = "|".join(
    rf"(?<=\bthe[ ]{digits}(?:st|nd|rd|th)[ ]{word}[ ])"
    for digits in (r"\d", r"\d\d")
    for word in ("or", "and", "to")
)
WRITTEN_DAY_KINDS: tuple[DayKind, ...] = (
    (
        day_pattern(
            rf"(?P<year>{YEAR_REGEX})-(?P<month>\d{{1,2}})-(?P<day>\d{{1,2}})(?:(?:T|"
            rf"[ ])(?P<time>[0-2]\d:[0-5]\d)(?::\d\d(?:\.\d{{1,6}})?)?(?:Z|[+-]\d\d:?\d\d)?)?"
        ),
        read_iso_day,
    ),
    (
        day_pattern(
            rf"(?<![<>=~^])(?P<year>{YEAR_REGEX})(?P<mark>[/.])(?P<month>\d{{1,2}})(?P=mark)(?P<day>\d{{1,2}})"
        ),
        read_iso_day,
    ),
    (
        day_pattern(
            rf"(?:{ANY_WEEKDAY_REGEX},?[ ])?(?P<first>\d{{1,2}})(?P<mark>[/-])(?P<second>\d{{1,2}})(?P=mark)"
            rf"(?P<year>(?:{YEAR_REGEX}|\d\d))(?![/-]\d)"
        ),
        read_numeric_day,
    ),
    (
        day_pattern(
            rf"(?:{ANY_WEEKDAY_REGEX},?[ ])?(?P<first>\d{{1,2}})\.(?P<second>0?[1-9]|1[0-2])\."
            rf"(?P<year>{YEAR_REGEX})(?![/.-]\d)"
        ),
        read_numeric_day,
    ),
    # Versions look like this, too: "3.12.12".
    (
        day_pattern(
            rf"(?:{ANY_WEEKDAY_REGEX},?[ ]|{after_words('on am vom bis ab zum seit den dated')}"
            r"|(?=0\d\.[01]\d\.)|(?=\d\d\.0\d\.))(?<![<>=~^])(?P<first>\d{1,2})"
            r"\.(?P<second>0?[1-9]|1[0-2])\.(?P<year>\d\d)(?![/.-]\d)"
        ),
        read_numeric_day,
    ),
    # As programs write it: "Tue May 21 16:26:37 2019".
    (
        day_pattern(
            rf"{ANY_WEEKDAY_REGEX}[ ](?P<month_name>{MONTH_REGEX})[ ]{{1,2}}(?P<day>{DAY_REGEX})"
            rf"[ ](?P<time>[0-2]\d:[0-5]\d)(?::\d\d)?(?:[ ][A-Z]{{3,4}})?[ ](?P<year>{YEAR_REGEX})"
        ),
        read_iso_day,
    ),
    (
        day_pattern(
            rf"(?:(?:{ANY_WEEKDAY_REGEX},?[ ])|(?<=on[ ])|(?<=by[ ])|(?<=due[ ])|(?<=from[ ])|(?<=until"
            r"[ ])|(?<=before[ ])|(?<=after[ ])|(?<=date:[ ])|(?<=for[ ])"
            r"|(?<=since[ ])|(?<=starting[ ])|(?<=dated[ ]))"
            r"(?P<first>\d{1,2})/(?P<second>\d{1,2})(?!/|[ ](?:cups?|of|inch))"
        ),
        read_numeric_day,
    ),
    (
        day_pattern(
            rf"(?:(?P<weekday>{ANY_WEEKDAY_REGEX}),?[ ](?:the[ ])?)?"
            # "I may second that"
            rf"(?:(?!ma(?:y|rch)[ ][a-z])|{not_after_words('i we you he she they it who')})"
            rf"(?P<month>{MONTH_REGEX})[ ](?:the"
            rf"[ ])?(?:(?P<day>{DAY_REGEX})(?:st|nd|rd|th)?|(?P<day_word>{ORDINAL_WORD_REGEX}))"
            # Two days with their months are two: "from March 3rd to March 5th".
            r"(?![:\d]|[ ]?[ap]\.?m\b)(?:(?:[ ]?[-\u2013][ ]?"
            rf"(?:(?P<month2>{MONTH_REGEX})[ ])?|[ ](?:to|through|thru|until)[ ])(?P<last>{DAY_REGEX})"
            rf"(?:st|nd|rd|th)?(?![:\d]|[ ]?[ap]\.?m\b))?{YEAR_AFTER_REGEX}?"
        ),
        read_written_day,
    ),
    (
        day_pattern(
            rf"(?:(?P<weekday>{ANY_WEEKDAY_REGEX}),?[ ](?:the[ ])?)?(?:(?P<day>{DAY_REGEX})(?:st|nd|rd|th"
            rf"|\.)?|(?P<day_word>{ORDINAL_WORD_REGEX}))"
            rf"(?:[ ]?(?:-|\u2013|to|through|until|and)[ ]?(?P<last>{DAY_REGEX})(?:st|nd|rd"
            rf"|th)?)?[ -](?:day[ ])?(?:of[ ])?(?P<month>{MONTH_REGEX}){YEAR_AFTER_REGEX}?"
            # "a table for 2 March 8"
            r"(?![ ]\d{1,2}(?:st|nd|rd|th)?\b(?![:.]\d|[ ]?[ap]\.?m))"
        ),
        read_written_day,
    ),
    # Two figures each, and the first too large for a month; of ten, it is a score.
    (
        day_pattern(r"(?:(?P<first>1[3-9]|2\d|3[01])/(?P<second>0[1-9]|1[12]))(?![/%]|[ ](?:cups?|of|inch))"),
        read_numeric_day,
    ),
    (
        re.compile(
            r"(?<![\w-])(?:(?P<direction>[Ee]arly|[Ll]ate|[Mm]id[ -]?|[Nn]ext|[Ll]ast"
            r"|[Tt]his)[ -]?)?(?P<month>January|February|March|April|June|July|August|September|October"
            rf"|November|December){YEAR_AFTER_REGEX}?(?![\w'\u2019])"
            rf"(?![ ](?:\d|[A-Z][a-z]))(?![ ](?:{DEED_REGEX})\b)"
        ),
        read_month,
    ),
    # Jan is somebody's name.
    (
        re.compile(
            r"(?:(?<![\w-])(?P<direction>[Ee]arly|[Ll]ate|[Mm]id|[Nn]ext|[Ll]ast|[Tt]his)[ -]"
            rf"|{after_words('in In since Since until Until by of from From to till for')}"
            rf"|(?<![\w-])(?=\w{{3,4}}\.?,?[ ](?:of[ ])?{YEAR_REGEX}))"
            rf"(?P<month>(?:Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\b\.?){YEAR_AFTER_REGEX}?"
            rf"(?![\w'\u2019])(?![ ](?:\d|[A-Z][a-z]))"
        ),
        read_month,
    ),
    (
        re.compile(
            r"(?:(?<=\b[Ii]n[ ])|(?<=\bof[ ])|(?<=\bby[ ])|(?<=since[ ])|(?<=until[ ])|(?<=this[ ])"
            r"|(?<=next[ ])|(?<=last[ ])|(?<=early[ ])|(?<=late[ ])|\b(?=May"
            rf"[ ]{YEAR_REGEX}))(?P<month>May|january|february|march|april|may|june|july|august|september"
            rf"|october|november|december){YEAR_AFTER_REGEX}?(?![\w'\u2019])"
        ),
        read_month,
    ),
    (
        re.compile(
            r"(?:(?<=\b[Ii]n[ ])|(?<=\b[Ss]ince[ ])|(?<=\b[Uu]ntil[ ])|(?<=\bby[ ])|(?<=\bof[ ])"
            r"|(?<=\bduring[ ])|(?<=\bfor[ ])|(?<=\byear[ ])|(?<=\bback[ ]in"
            rf"[ ]))(?P<year>{YEAR_REGEX})(?![\w%]|[.,:/-]\d|[ ](?:people|dollars|euros|words|tokens"
            r"|units|items|km|miles))"
        ),
        read_year,
    ),
    (
        day_pattern(rf"(?:(?P<season>spring|summer|autumn|fall|winter)[ ](?:of[ ])?(?P<year>{YEAR_REGEX}))"),
        read_season,
    ),
    (day_pattern(rf"(?P<year>{YEAR_REGEX})-(?P<quarter>Q[1-4])"), read_season),
    (re.compile(rf"(?<!\w)(?P<quarter>Q[1-4])(?:[ /](?:of[ ])?(?P<year>{YEAR_REGEX}))?(?!\w)"), read_season),
    (
        day_pattern(
            rf"(?:the[ ])?(?P<day_word>{ORDINAL_WORD_REGEX})[ ]of[ ](?P<month_word>every|each)[ ]month"
        ),
        read_day_of_month,
    ),
    (day_pattern(rf"(?P<feast>{FEAST_REGEX})(?:[ ](?P<year>{YEAR_REGEX}))?{PART_REGEX}?"), read_feast),
    (
        day_pattern(
            rf"{after_words('expires expiry exp expiring thru expiration_date')}"
            r"(?P<month>0[1-9]|1[0-2])/(?P<year>\d\d)(?!/)"
        ),
        read_card_month,
    ),
    # What follows tells that it is no share.
    (
        day_pattern(
            r"(?!24/7)(?P<first>\d{1,2})/(?P<second>\d{1,2}(?=,?[ ](?:at[ ]|@[ ]?)\d)"
            r"|(?:1[3-9]|2\d|3[01])(?=[ ](?:works|is[ ](?:out|fine|good|ok|okay|free|full|best))\b))"
        ),
        read_numeric_day,
    ),
    (
        day_pattern(
            rf"(?:(?P<weekday>{ANY_WEEKDAY_REGEX}),?[ ])?the[ ](?P<day>{DAY_REGEX})(?:st|nd|rd"
            rf"|th){AFTER_ORDINAL_REGEX}"
        ),
        read_day_of_month,
    ),
    (
        day_pattern(
            rf"(?:{after_words('on for by until till before after')}|{AFTER_OTHER_DAY_REGEX})"
            rf"(?P<day>{DAY_REGEX})(?:st|nd|rd|th){AFTER_ORDINAL_REGEX}"
        ),
        read_day_of_month,
    ),
    (
        day_pattern(
            rf"(?:{ANY_WEEKDAY_REGEX},?[ ])?(?:the[ ])?(?P<day>{DAY_REGEX})(?:st|nd|rd|th)[ ]of[ ]"
            r"(?P<month_word>this|next|last|the|every|each)[ ]month"
        ),
        read_day_of_month,
    ),
    (
        day_pattern(
            rf"(?P<weekday>{ANY_WEEKDAY_REGEX}),?[ ](?:the[ ])?(?P<day>{DAY_REGEX})(?:st|nd|rd|th)"
            r"(?![ ](?:of|street|avenue))"
        ),
        read_day_of_month,
    ),
    (
        re.compile(
            rf"(?:{after_words('on by until before after from for')}"
            r"|(?<!\w)(?=the[ ](?:\w+teenth|twent|thirt|eleventh)))"
            rf"the[ ](?P<day_word>{ORDINAL_WORD_REGEX})(?:[ ]of[ ](?P<month_word>this|next|last"
            rf"|the|every|each)[ ]month)?{AFTER_ORDINAL_REGEX}",
            re.IGNORECASE,
        ),
        read_day_of_month,
    ),
)
