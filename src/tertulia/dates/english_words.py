"""Words of dates in English that have a plainer form."""

from tertulia.dates.date_words import FEAST_NAMES
from tertulia.dates.word_tables import WordTable, number_table, read_table

#: How a feast is written in plain words: by its place in the list of them.
FEAST_TABLE: WordTable = {
    tuple(written.replace("-", " - ").split()): f"feast{place}"
    for place, name in enumerate(FEAST_NAMES)
    # An apostrophe at the end of a word is a word of its own: "Presidents' Day".
    for mark in ("", "'", "\u2019")
    for saint in ("st ", "st . ")
    for written in (name.replace("' ", f" {mark} ").replace("'", mark).replace("st ", saint),)
}
HOUR_TEXT = "one two three four five six seven eight nine ten eleven twelve"
ORDINAL_TEXT = """
    first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth
    fifteenth sixteenth seventeenth eighteenth nineteenth twentieth
"""
#: "nine-thirty": in figures this would be a span, or a score.
HYPHENATED_TIMES: WordTable = {
    (hour, "-", minutes): f"{number}:{figures}"
    for number, hour in enumerate(HOUR_TEXT.split(), 1)
    for minutes, figures in (("fifteen", "15"), ("thirty", "30"), ("forty", "40"), ("fifty", "50"))
}
ENGLISH_WORDS: WordTable = {
    **HYPHENATED_TIMES,
    **number_table("one two three four five six seven eight nine ten eleven twelve thirteen fourteen"),
    **number_table("fifteen sixteen seventeen eighteen nineteen twenty", first=15),
    **{(word,): f"{number}th" for number, word in enumerate(ORDINAL_TEXT.split(), 1)},
    **read_table("""
        thirty = 30
        forty = 40
        fifty = 50
        sixty = 60
        ninety = 90
        thirtieth = 30th
        a couple of | a couple | couple of | a pair of = 2
        a few | few = 3
        half an hour | half hour | a half hour | 1 / 2 hour = 30 minutes
        an hour and a half | one hour and a half = 90 minutes
        once a day | once per day = daily
        once a week | once per week = weekly
        once a month | once per month = monthly
        once a year | once per year = yearly
        tomorrow week = a week tomorrow
        today week = a week today
        a quarter of an hour | quarter of an hour = 15 minutes
        three quarters of an hour | three - quarters of an hour = 45 minutes
        mon | mondy = monday
        tue | tues = tuesday
        weds | wednes = wednesday
        thu | thur | thurs = thursday
        fri = friday
        jan = january
        feb = february
        mar = march
        apr = april
        mai = may
        jun = june
        jul = july
        aug = august
        sep | sept = september
        oct = october
        nov = november
        dec = december
        2day = today
        tmrw | tmr | tmw | tmrow | tomoz | tomorow | tommorow | tommorrow | tomorrows = tomorrow
        tonite | 2nite = tonight
        nite = night
        arvo = afternoon
        morn = morning
        day after tomorrow | the day after tomorrow | day after tmrw | overmorrow = overmorrow
        day before yesterday | the day before yesterday = ereyesterday
        midday = noon
        o clock | oclock | o\u2019clock = o'clock
        each = every
        & = and
        \u2013 = -
        \u2014 = -
        til | till | untill | thru | through = until
        approximately | approx | roughly | ca | circa | round = about
        wknd | wkend = weekend
        week - end | week end = weekend
        week - ends = weekends
        weekday | workday | working day | business day = weekday
        workdays | working days | business days = weekdays
        fortnightly | biweekly | bi - weekly = fortnightly
        annually | yearly = yearly
        qtr = quarter
        yr = year
        end of day | end of the day | close of business | end of business | cob | eod = eod
        this past = last
        alternate = every other
        last night = yesterday night
        the week before = 1 weeks before
        the week after = 1 weeks after
        nightly = every night
        exactly | precisely | shortly after | shortly before = about
        quarter past noon | quarter past midday = 12:15 pm
        half past noon | half past midday = 12:30 pm
        quarter past midnight = 0:15
        half past midnight = 0:30
        end of month | eom = end of the month
        end of year | eoy = end of the year
        end of week | eow = end of the week
        end of quarter | eoq | quarter end | quarter - end = end of the quarter
        year end | year - end = end of the year
        month end | month - end = end of the month
        beginning of | start of | the beginning of | the start of = start of
        right now = now
        twice = 2 times
    """),
    **FEAST_TABLE,
    ("mardi", "gras"): FEAST_TABLE["shrove", "tuesday"],
    # Their plain form is no number of a day: "in a second".
    ("first", "half"): "1st half",
    ("second", "half"): "2nd half",
}
