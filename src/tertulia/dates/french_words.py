"""Words of dates in French, in plain English."""

from tertulia.core.word_sets import word_set
from tertulia.dates.english_words import FEAST_TABLE
from tertulia.dates.german_words import PLAIN_WEEKDAYS
from tertulia.dates.number_words import make_french_numbers
from tertulia.dates.word_tables import WordTable, number_table, read_table

WEEKDAY_TEXT = "lundi mardi mercredi jeudi vendredi samedi dimanche"
WEEKDAY_NAMES = WEEKDAY_TEXT.split()
WEEKDAYS = list(zip(WEEKDAY_NAMES, PLAIN_WEEKDAYS, strict=True))
FRENCH_WORDS: WordTable = {
    **make_french_numbers(),
    **number_table("premier|première deuxième|second troisième quatrième", ending="th"),
    **{(name,): plain for name, plain in WEEKDAYS},
    **{(f"{name}s",): f"{plain}s" for name, plain in WEEKDAYS},
    **{("tous", "les", f"{name}s"): f"every {plain}" for name, plain in WEEKDAYS},
    **{("un", name, "sur", "deux"): f"every other {plain}" for name, plain in WEEKDAYS},
    # "lundi en huit": the one a week after the next.
    **{(name, "en", "huit"): f"{plain} week" for name, plain in WEEKDAYS},
    **{(name, "en", "quinze"): f"{plain} fortnight" for name, plain in WEEKDAYS},
    **read_table("""
        er = st
        janvier = january
        février | fevrier = february
        mars = march
        avril = april
        mai = may
        juin = june
        juillet = july
        août | aout = august
        septembre = september
        octobre = october
        novembre = november
        décembre | decembre = december
        aujourd'hui | aujourd\u2019hui = today
        demain = tomorrow
        après - demain = overmorrow
        hier = yesterday
        avant - hier = ereyesterday
        ce matin = this morning
        ce midi = today noon
        cet après - midi | cette après - midi = this afternoon
        ce soir = this evening
        cette nuit = tonight
        matin | du matin | au matin = morning
        après - midi | de l'après - midi | de l\u2019après - midi = afternoon
        soir | du soir = evening
        à midi | midi = noon
        à midi et demi | midi et demi | à midi et demie | midi et demie = at 12:30 pm
        à minuit et demi | minuit et demi | à minuit et demie | minuit et demie = at 0:30
        demain en huit = a week tomorrow
        aujourd'hui en huit | aujourd\u2019hui en huit = a week today
        tous les quinze jours = fortnightly
        à minuit | minuit = midnight
        à = at
        vers = at about
        environ = about
        et demie | et demi = half-after
        et quart = quarter-after
        moins le quart | moins quart = quarter-before
        le | la | les = the
        de | du | des = of
        entre = between
        et = and
        au = to
        jusqu'au | jusqu\u2019au | jusqu'à | jusqu\u2019à = until
        à partir de | à partir du | dès | depuis = from
        avant le | avant = by
        en | dans = in
        il y a = before-now
        prochain | prochaine | prochains = post-next
        ce | cette | cet = this
        dernier | dernière | derniere = last
        chaque | tous les | toutes les = every
        chaque mois | du mois = every month
        quotidien | quotidiennement = daily
        hebdomadaire = weekly
        mensuel = monthly
        trimestriel = quarterly
        annuel = yearly
        jour | jours = days
        jour ouvré | jour ouvrable | jours ouvrés | jours ouvrables = weekdays
        chaque jour ouvré | chaque jour ouvrable = every weekday
        tous les jours ouvrés | tous les jours ouvrables = every weekday
        d'aujourd'hui en huit | d\u2019aujourd\u2019hui en huit = a week today
        semaine | semaines = weeks
        mois = months
        an | ans | année | années = years
        heure | heures = hours
        une demi - heure = 30 minutes
        un quart d'heure | un quart d\u2019heure = 15 minutes
        trois quarts d'heure | trois quarts d\u2019heure = 45 minutes
        une heure et demie = 90 minutes
        minute | minutes = minutes
        trimestre = quarter
        week - end | weekend = weekend
        le week - end | ce week - end = this weekend
        le week - end prochain = next weekend
        fin du mois | la fin du mois | fin de mois = end of the month
        fin de l'année | fin de l\u2019année | fin d'année = end of the year
        fin de semaine | fin de la semaine = end of the week
        fin = end of
        fin de = end of
        début | début de = start of
        mi - = mid-
        un jour sur deux = every 2 days
        une semaine sur deux = every 2 weeks
        la veille de | la veille du = the day before
        le lendemain de | le lendemain du = the day after
        pendant = for
        fois = times
    """),
    **FEAST_TABLE,
}
FRENCH_CUES = (
    word_set("""
        dans tous toutes aujourd'hui aujourd\u2019hui demain hier ce cette janvier février avril juin
        juillet août septembre octobre novembre décembre semaine semaines mois prochain prochaine
        veille lendemain chaque soir matin heure heures midi minuit à jours
    """)
    | {name for name, _ in WEEKDAYS}
    | {f"{name}s" for name, _ in WEEKDAYS}
)
