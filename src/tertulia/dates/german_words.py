"""Words of dates in German, in plain English."""

from tertulia.core.word_sets import word_set
from tertulia.dates.english_words import FEAST_TABLE
from tertulia.dates.number_words import make_german_numbers
from tertulia.dates.word_tables import WordTable, number_table, read_table

WEEKDAY_TEXT = "montag dienstag mittwoch donnerstag freitag samstag|sonnabend sonntag"
PLAIN_WEEKDAY_TEXT = "monday tuesday wednesday thursday friday saturday sunday"
PLAIN_WEEKDAYS = PLAIN_WEEKDAY_TEXT.split()
PARTS = {
    "früh": "morning",
    "morgen": "morning",
    "vormittag": "morning",
    "mittag": "noon",
    "nachmittag": "afternoon",
    "abend": "evening",
    "nacht": "night",
}
WEEKDAYS = [
    (name, plain)
    for names, plain in zip(WEEKDAY_TEXT.split(), PLAIN_WEEKDAYS, strict=True)
    for name in names.split("|")
]
GERMAN_WORDS: WordTable = {
    **make_german_numbers(),
    **number_table("eine|einem|einer|einen"),
    **{(name,): plain for name, plain in WEEKDAYS},
    **{(f"{name}s",): f"{plain}s" for name, plain in WEEKDAYS},
    **{(name + part,): f"{plain} {word}" for name, plain in WEEKDAYS for part, word in PARTS.items()},
    **{(name, part): f"{plain} {word}" for name, plain in WEEKDAYS for part, word in PARTS.items()},
    **{("übermorgen", part): f"overmorrow {word}" for part, word in PARTS.items()},
    # "Montag in acht Tagen": the one a week after the next.
    **{(name, "in", "acht", "tagen"): f"{plain} week" for name, plain in WEEKDAYS},
    **{(name, "in", "vierzehn", "tagen"): f"{plain} fortnight" for name, plain in WEEKDAYS},
    **read_table("""
        mo . | mo , = monday
        di . | di , = tuesday
        mi . | mi , = wednesday
        do . | do , = thursday
        fr . | fr , = friday
        sa . | sa , = saturday
        so . | so , = sunday
        januar | jänner | jan = january
        februar | feb = february
        märz | maerz = march
        apr = april
        mai = may
        juni = june
        juli = july
        aug = august
        sept | sep = september
        oktober | okt = october
        nov = november
        dezember | dez = december
        heute = today
        heute in acht tagen = a week today
        morgen in acht tagen = a week tomorrow
        morgen = tomorrow
        heute früh | heute morgen | heute vormittag = today morning
        heute mittag = today noon
        heute nachmittag = today afternoon
        heute abend = today evening
        heute nacht = tonight
        morgen früh | morgen vormittag = tomorrow morning
        morgen mittag = tomorrow noon
        morgen nachmittag = tomorrow afternoon
        morgen abend = tomorrow evening
        übermorgen = overmorrow
        gestern = yesterday
        vorgestern = ereyesterday
        guten morgen | schönen abend | guten abend = hello
        am morgen | morgens | am vormittag | vormittags | in der früh = in the morning
        am mittag | mittags | zu mittag = noon
        am nachmittag | nachmittags = in the afternoon
        am abend | abends = in the evening
        in der nacht | nachts = at night
        mitternacht | um mitternacht = midnight
        um = at
        gegen = about
        am | an = on
        den | der | dem | die | das | des = the
        im = in
        von | vom | ab = from
        zwischen = between
        und = and
        bis | bis zum | bis zur = until
        fällig = due
        nächste | nächsten | nächster | nächstes | nächstem = next
        kommende | kommenden | kommender | kommendes = coming
        diese | diesen | dieser | dieses | diesem = this
        letzte | letzten | letzter | letztes | letztem | vorige | vorigen = last
        übernächste | übernächsten | übernächster = overnext
        jede | jeden | jeder | jedes | alle = every
        täglich = daily
        wöchentlich = weekly
        vierzehntägig | zweiwöchentlich = fortnightly
        monatlich = monthly
        vierteljährlich = quarterly
        jährlich = yearly
        werktags | wochentags | an werktagen = weekdays
        tag | tage | tagen | tages = days
        jeden tag = every day
        woche | wochen = weeks
        diese woche | dieser woche = this week
        nächste woche | nächster woche | kommende woche | kommender woche = next week
        letzte woche | letzter woche = last week
        monat | monate | monaten | monats = months
        nächsten monat | nächstem monat | kommenden monat | nächsten monats = next month
        diesen monat | diesem monat | dieses monats = this month
        jeden monat | jedes monats | im monat = every month
        jahr | jahre | jahren | jahres = years
        nächstes jahr | nächsten jahres = next year
        dieses jahr | dieses jahres = this year
        jedes jahr = every year
        quartal | quartals = quarter
        stunde | stunden = hours
        minute | minuten = minutes
        wochenende = weekend
        am wochenende = the weekend
        anfang = start of
        anfang der = start of the
        mitte = middle of
        mitte der = middle of the
        ende = end of
        ende der woche = end of the week
        ende des monats = end of the month
        ende des jahres = end of the year
        ende nächster woche = end of next week
        ende nächsten monats = end of next month
        monatsende = end of the month
        anfang des monats = start of the month
        mitte des monats = middle of the month
        1 . weihnachtstag = december 25
        2 . weihnachtstag = december 26
        einem halben jahr | ein halbes jahr | eines halben jahres = 6 months
        einer viertelstunde | eine viertelstunde = 15 minutes
        einer dreiviertelstunde | eine dreiviertelstunde = 45 minutes
        kurz nach | kurz vor = about
        einer halben stunde | ner halben stunde = 30 minutes
        am tag vor | tag vor = the day before
        am tag nach | tag nach = the day after
        anderthalb | eineinhalb | einundeinhalb = 1.5
        zweieinhalb = 2.5
        dreieinhalb = 3.5
        uhr = o'clock
        halb = half-before
        viertel = quarter
        dreiviertel | drei viertel = quarter to
        nach = past
        vor = before-now
        kw | kalenderwoche = week
        für = for
        lang = long
        in einem monat = in 1 months
    """),
    **FEAST_TABLE,
}
GERMAN_CUES = (
    word_set("""
        heute morgen übermorgen gestern vorgestern uhr januar jänner februar märz juni juli oktober
        dezember jeden nächsten nächste nächster nächstes kommenden kommende letzten woche wochen
        viertelstunde dreiviertelstunde weihnachtstag
        stunde stunden tagen wochenende minuten um jahr jahren täglich wöchentlich werktags
        monat monats halb viertel vom bis mitte ende kw abends morgens nachmittags vor
    """)
    | {name for name, _ in WEEKDAYS}
    | {f"{name}s" for name, _ in WEEKDAYS}
    | {name + part for name, _ in WEEKDAYS for part in PARTS}
)
