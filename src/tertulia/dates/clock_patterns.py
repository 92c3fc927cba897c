"""Forms of times of day, as people say them."""

import re

from tertulia.dates.following_words import FOLLOWING_REGEX
from tertulia.dates.word_contexts import after_words, not_after_words

HOUR_WORD_REGEX = "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
HOUR_REGEX = rf"(?:\d{{1,2}}|{HOUR_WORD_REGEX})"
MINUTE_WORD_REGEX = r"(?:oh[ ]five|ten|fifteen|(?:twenty|thirty|forty|fifty)(?:[ -]five)?)"
MERIDIEM_REGEX = r"(?:[ap]\.[ ]?m\.(?![a-z])|[ap]m\b|[ap]\.m\b)"
DAY_PART_REGEX = r"morning|afternoon|evening|night"
OF_DAY_REGEX = rf"(?:[ ](?:in[ ]the[ ](?:early[ ]|late[ ])?(?P<part>{DAY_PART_REGEX})|at[ ](?P<night>night)))"
GERMAN_HOUR_REGEX = r"eins|ein|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf"
GERMAN_PART_REGEX = r"(?:[ ](?P<teil>morgens|vormittags|mittags|nachmittags|abends|nachts))"
SPANISH_HOUR_REGEX = r"una|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|once|doce"
SPANISH_PART_REGEX = r"(?:[ ]de[ ]la[ ](?P<parte>mañana|tarde|noche|madrugada))"
SPANISH_MINUTES_REGEX = (
    r"(?:[ ]y[ ](?P<extra>media|cuarto|diez|veinte)|[ ](?P<less>menos)[ ](?P<extra2>cuarto|diez))"
)
FRENCH_HOUR_REGEX = r"une|deux|trois|quatre|cinq|six|sept|huit|neuf|dix|onze|douze"
FRENCH_PART_REGEX = r"(?:[ ]du[ ](?P<moment>matin|soir)|[ ]de[ ]l['\u2019](?P<moment2>après-midi))"
FRENCH_CUE_REGEX = after_words("à vers avant après dès")
#: What may follow an hour alone: nothing that could be counted.
AFTER_HOUR_REGEX = (
    rf"(?=[.,;!?)]*(?:\s*$|[.,;!?)][^\d]|[ ](?:{FOLLOWING_REGEX}|ish\b"
    rf"|to[ ](?!\d|(?:{HOUR_WORD_REGEX})\b)|mon|tue|wed|thu|fri|sat|sun)|\n))"
)
#: Words before a time with a full stop in it that is no price.
DOTTED_CUES = """
    boards_at leaves_at leaving_at arrives_at arriving_at departs_at starts_at begins_at lands_at closes
    opens closes_at opens_at meet_at
"""
#: What may follow a time with a full stop in it: nothing that would make it a price or a measure.
AFTER_DOTTED_REGEX = (
    r"(?![ ]?(?:%|€|£|\$|euros?|dollars?|pounds?|kg|km|k|m|gb|mb|miles?|per|percent|each|x)\b)(?![ ]?[%€£$])"
)


def time_pattern(body: str) -> re.Pattern[str]:
    """Return a pattern for a time that is no part of a longer number."""
    return re.compile(rf"(?<![\w:/$€£#-])(?<!\d[.,])(?:{body})(?![:\d])(?!\w)", re.IGNORECASE)


RANGE_PATTERNS = (
    time_pattern(
        rf"(?P<hour>\d{{1,2}})(?:[:.](?P<minute>[0-5]\d))?[ ]?(?P<half>{MERIDIEM_REGEX})?[ ]?(?:-|\u2013|to"
        r"|until|till|(?P<and>and))[ ]?"
        rf"(?P<hour2>\d{{1,2}})(?:[:.](?P<minute2>[0-5]\d))?[ ]?(?P<half2>{MERIDIEM_REGEX})"
    ),
    time_pattern(
        r"(?P<hour>[01]?\d|2[0-4]):(?P<minute>[0-5]\d)[ ]?[-\u2013][ ]?"
        r"(?P<hour2>[01]?\d|2[0-4]):(?P<minute2>[0-5]\d)(?:[ ](?:Uhr|hrs))?"
    ),
)
ENGLISH_TIMES = (
    rf"(?P<hour>\d{{1,2}})(?:[:.](?P<minute>[0-5]\d))?(?::[0-5]\d)?[ ]?(?P<half>{MERIDIEM_REGEX})"
    rf"{OF_DAY_REGEX}?",
    rf"(?P<hour>{HOUR_WORD_REGEX})(?:[ -](?P<minute>{MINUTE_WORD_REGEX}))?[ ]?(?P<half>{MERIDIEM_REGEX})",
    rf"(?:{after_words('at by around about until till before after from for')})"
    rf"(?P<hour>{HOUR_WORD_REGEX})[ -](?P<minute>{MINUTE_WORD_REGEX}){AFTER_HOUR_REGEX}",
    rf"(?P<hour>{HOUR_WORD_REGEX})[ -](?P<minute>{MINUTE_WORD_REGEX}){OF_DAY_REGEX}",
    rf"(?P<before>{DAY_PART_REGEX})[ ](?:at[ ])?(?P<hour>\d{{1,2}}):(?P<minute>[0-5]\d)",
    rf"(?P<hour>\d{{1,2}}):(?P<minute>[0-5]\d)(?::[0-5]\d)?(?:[ ]?Uhr|[ ]?h(?:rs|oras)?\b)?{OF_DAY_REGEX}?",
    rf"(?P<before>{DAY_PART_REGEX})[ ](?:at[ ])?(?P<hour>{HOUR_REGEX})[ ]?o['\u2019]?[ ]?clock",
    rf"(?P<hour>{HOUR_REGEX})[ ]?o['\u2019]?[ ]?clock{OF_DAY_REGEX}?",
    rf"(?P<shift>half|quarter|a[ ]quarter|five|ten|twenty|twenty[ -]five|\d{{1,2}})(?:[ ]minutes?)?"
    r"[ ](?P<side>past|to|tae|till|after|before|of)[ ]"
    rf"(?P<hour>{HOUR_REGEX})(?:[ ]?(?P<half>{MERIDIEM_REGEX})|[ ]o['\u2019]?clock)?{OF_DAY_REGEX}?",
    rf"(?<=\bat[ ])(?=(?P<sure>\w))(?P<shift>five|ten|twenty|twenty[ -]five)[ ](?P<side>to|past)"
    rf"[ ](?P<hour>{HOUR_WORD_REGEX}){AFTER_HOUR_REGEX}",
    rf"(?P<hour>{HOUR_REGEX}){OF_DAY_REGEX}",
    rf"(?<=\bat[ ])(?P<shift>half)[ ](?P<hour>{HOUR_REGEX})",
    rf"{not_after_words('in and a')}(?P<shift>half)[ ](?P<hour>{HOUR_WORD_REGEX}){AFTER_HOUR_REGEX}",
    rf"(?P<hour>0?[1-9]|1[0-2]|{HOUR_WORD_REGEX})[ -]?ish{AFTER_HOUR_REGEX}",
    # A round hundred of hours may be so many of them.
    rf"(?:(?P<hour>[01]\d|2[0-3])(?P<minute>[0-5][1-9]|[1-5]0)"
    rf"|{after_words('at by eta from until')}(?P<hour2>[01]\d|2[0-3])00)[ ]?hrs",
    rf"{after_words('at by until')}(?P<hour>0\d)(?P<minute>[0-5]\d){AFTER_HOUR_REGEX}",
    rf"{after_words(DOTTED_CUES)}(?P<hour>[01]?\d|2[0-3])\.(?P<minute>[0-5]\d)",
    # "the 9.10 to Leeds"
    r"(?<=\bthe[ ])(?P<hour>[01]?\d|2[0-3])[.](?P<minute>[0-5]\d)"
    r"(?=[ ](?:to[ ](?-i:[A-Z])|train|bus|flight|one\b))",
    r"(?:(?:12|twelve)[ ])?(?P<noon>noon|midday|midnight)",
)
CONTINENTAL_TIMES = (
    rf"(?P<hour>\d{{1,2}}|{GERMAN_HOUR_REGEX})(?:[.:](?P<minute>[0-5]\d))?[ ]Uhr(?:[ ](?P<minute2>[0-5]\d))?"
    rf"{GERMAN_PART_REGEX}?",
    rf"halb[ ](?P<german_half>\d{{1,2}}|{GERMAN_HOUR_REGEX})",
    rf"viertel[ ](?P<german_side>nach|vor)[ ](?P<hour>\d{{1,2}}|{GERMAN_HOUR_REGEX}){GERMAN_PART_REGEX}?",
    rf"(?:(?<=\ba[ ]las[ ])|(?<=\ba[ ]la[ ](?=una)))(?P<hour>\d{{1,2}}|{SPANISH_HOUR_REGEX})"
    rf"(?:[:.](?P<minute>[0-5]\d))?{SPANISH_MINUTES_REGEX}?{SPANISH_PART_REGEX}?",
    rf"(?<=\blas[ ])(?P<hour>\d{{1,2}}|{SPANISH_HOUR_REGEX})(?:[:.](?P<minute>[0-5]\d))?"
    rf"{SPANISH_MINUTES_REGEX}?{SPANISH_PART_REGEX}",
    # "2h30" may last so long.
    rf"{not_after_words('in en for take takes took last lasts about dure fait pendant')}"
    r"(?P<hour>\d{1,2})[ ]?h[ ]?(?P<minute>[0-5]\d)",
    rf"{FRENCH_CUE_REGEX}(?P<hour>\d{{1,2}}|{FRENCH_HOUR_REGEX})[ ]?h(?:eures?)?"
    rf"(?:[ ]et[ ](?P<extra>demie|quart))?{FRENCH_PART_REGEX}?",
    rf"{FRENCH_CUE_REGEX}(?P<noon>midi|minuit)",
    r"(?P<noon>mitternacht|mediodía|medianoche)",
)
TIME_PATTERNS = tuple(time_pattern(body) for body in (*ENGLISH_TIMES, *CONTINENTAL_TIMES))
#: Hours alone after words that announce a time, or before the part of a day: which half of it is not told.
LONE_HOUR_PATTERNS = (
    re.compile(rf"(?<=\b(?:at|um)[ ])(?P<hour>{HOUR_REGEX})(?:ish)?{AFTER_HOUR_REGEX}", re.IGNORECASE),
    re.compile(
        r"\b(?:arriv\w+|leav\w+|depart\w+|there|back|home|done|open\w*|clos\w+|free|busy|land\w*)"
        rf"[ ](?:by|after|before|around|about|until|till)[ ](?P<hour>{HOUR_REGEX}){AFTER_HOUR_REGEX}",
        re.IGNORECASE,
    ),
    re.compile(
        rf"(?<![\w:.-])(?<!\bfor[ ])(?P<hour>{HOUR_REGEX})(?=[ ](?:tonight"
        r"|this[ ](?:evening|morning|afternoon)|tomorrow[ ](?:morning|evening|afternoon|night))\b)",
        re.IGNORECASE,
    ),
)
#: Numbers that are times only beside a day.
BOUND_TIME_PATTERNS = (
    re.compile(
        rf"\b(?:from[ ](?P<hour>{HOUR_REGEX})[ ](?:to|until|till)|between[ ](?P<hour2>{HOUR_REGEX})[ ]and)"
        rf"[ ](?P<last>{HOUR_REGEX}){AFTER_HOUR_REGEX}",
        re.IGNORECASE,
    ),
    re.compile(
        rf"\b(?:after|before|by|from|until|till|around|round|about|like)"
        rf"[ ](?P<hour>{HOUR_REGEX}){AFTER_HOUR_REGEX}",
        re.IGNORECASE,
    ),
    time_pattern(rf"(?P<hour>[01]?\d|2[0-3])\.(?P<minute>[0-5]\d)(?!\.\d){AFTER_DOTTED_REGEX}"),
    time_pattern(
        rf"{after_words('at by around like until')}(?P<hour>1\d|2[0-3])(?P<minute>[0-5]\d){AFTER_HOUR_REGEX}"
    ),
)
