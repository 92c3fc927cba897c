"""Words of dates in Spanish, in plain English."""

from tertulia.core.word_sets import word_set
from tertulia.dates.english_words import FEAST_TABLE
from tertulia.dates.german_words import PLAIN_WEEKDAYS
from tertulia.dates.number_words import make_spanish_numbers
from tertulia.dates.word_tables import WordTable, number_table, read_table

WEEKDAY_TEXT = "lunes martes miércoles|miercoles jueves viernes sábado|sabado domingo"
WEEKDAYS = [
    (name, plain)
    for names, plain in zip(WEEKDAY_TEXT.split(), PLAIN_WEEKDAYS, strict=True)
    for name in names.split("|")
]
PLURALS = [(name if name.endswith("s") else f"{name}s", plain) for name, plain in WEEKDAYS]
SPANISH_WORDS: WordTable = {
    **make_spanish_numbers(),
    **number_table("primer|primero|primera segundo|segunda tercer|tercero|tercera", ending="th"),
    **{(name,): plain for name, plain in WEEKDAYS},
    **{("los", name): f"{plain}s" for name, plain in PLURALS},
    **{("todos", "los", name): f"every {plain}" for name, plain in PLURALS},
    **{("cada", name): f"every {plain}" for name, plain in WEEKDAYS},
    **{("y", name): f"and {plain}" for name, plain in PLURALS},
    **{("cada", "dos", name): f"every other {plain}" for name, plain in PLURALS},
    **{("un", name, "sí", "y", "otro", "no"): f"every other {plain}" for name, plain in WEEKDAYS},
    **{("el", name): f"on the {plain}" for name, plain in WEEKDAYS},
    **read_table("""
        enero | ene = january
        febrero = february
        marzo = march
        abril = april
        mayo = may
        junio = june
        julio = july
        agosto = august
        septiembre | setiembre = september
        octubre = october
        noviembre = november
        diciembre | dic = december
        hoy = today
        la víspera de | la víspera del | el día antes de = the day before
        el día después de = the day after
        mañana = tomorrow
        pasado mañana = overmorrow
        ayer = yesterday
        anteayer = ereyesterday
        esta mañana = this morning
        esta tarde = this afternoon
        esta noche = tonight
        por la mañana | de la mañana | de la madrugada = in the morning
        por la tarde | de la tarde = in the afternoon
        por la noche | de la noche = in the evening
        al mediodía | a mediodía | mediodía = noon
        a medianoche | medianoche = midnight
        a las | a la | las = at
        sobre las | hacia las = about
        y media = half-after
        y cuarto = quarter-after
        menos cuarto = quarter-before
        el | la = the
        los = the
        de | del = of
        de las = of
        desde | desde el | desde las = from
        entre = between
        entre el = between
        y = and
        a | al = to
        a las 24 = at 24
        hasta | hasta el | hasta las = until
        para el | antes del = by
        en | dentro de | de aquí a = in
        hace = before-now
        próximo | próxima | proximo | proxima = post-next
        que viene = post-next
        este | esta = this
        pasado | pasada = last
        último | última | ultimo | ultima = last
        cada | todos los | todas las = every
        cada mes = every month
        del mes | de mes = of the month
        diario | diariamente = daily
        semanal | semanalmente = weekly
        quincenal | cada quince días | cada quince dias = fortnightly
        mensual | mensualmente = monthly
        trimestral = quarterly
        anual | anualmente = yearly
        entre semana | días laborables = weekdays
        día | dia | días | dias = days
        semana | semanas = weeks
        mes | meses = months
        año | años = years
        hora | horas = hours
        media hora = 30 minutes
        un cuarto de hora = 15 minutes
        tres cuartos de hora = 45 minutes
        de hoy en ocho | de hoy en ocho días = a week today
        de mañana en ocho | de mañana en ocho días = a week tomorrow
        de hoy en quince | de hoy en quince días = a fortnight today
        una hora y media | hora y media = 90 minutes
        minuto | minutos = minutes
        trimestre = quarter
        fin de semana | el fin de semana = the weekend
        este fin de semana = this weekend
        el próximo fin de semana = next weekend
        fin de mes | finales de mes | final de mes = end of the month
        fin de año | finales de año = end of the year
        fines de | finales de | final de = end of
        principios de | comienzos de = start of
        mediados de = middle of
        durante = for
        veces = times
    """),
    **FEAST_TABLE,
}
SPANISH_CUES = (
    word_set("""
        minutos año años hoy mañana ayer anteayer enero febrero marzo abril mayo junio julio agosto
        septiembre octubre noviembre diciembre semana semanas mes meses cada próximo próxima proximo
        dentro hace días viene las hora horas finales principios mediados mediodía medianoche noche
        tarde diario semanal mensual víspera antes después
    """)
    | {name for name, _ in WEEKDAYS}
    | {name for name, _ in PLURALS}
)
