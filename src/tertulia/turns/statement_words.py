"""What a sentence is about, by its words in several languages: whether it says when something was written."""

import re


def any_word(words: str) -> str:
    """Return a pattern for one of some words or turns of phrase, each in a line or apart by commas."""
    parts = (part.strip() for line in words.splitlines() for part in line.split(","))
    return rf"\b(?:{'|'.join(filter(None, parts))})\b"


#: What is asked, supposed, refused or told of other things is no statement on what was written.
OTHER_MATTER_PATTERN = re.compile(
    r"\?|"
    + any_word(
        r"""
        if, unless, would, could, should, might, prefer, busy, conflicts?, free, available, availability
        already, also, other, another, closed, holiday, taken, full, earlier, stays?, remains?
        the day (?:after|before)(?! tomorrow), last (?:changed|updated)
        because, since, instead, however, deadline, remind(?:ers?|s)?, your next
        you (?:said|asked), repeats, every, each, ends, until
        wenn, falls, würde, könnte, möchte, belegt, frei, bereits, schon, auch, andere[rns]?, weil, jeden, bis
        stattdessen
        si, podría, prefieres?, ocupad[oa], libre, ya (?:tienes|hay), también, otr[oa]s?, porque, cada, hasta
        pourrai[st]?, préfér\w+, occupée?, déjà, aussi, autres?, parce, chaque, jusqu\w*
        se (?:prefer\w+|vuoi|quiser\w*|você), anche, altr[oaie], perché, ogni, também, outr[oa]s?, als, ook
        """
    ),
    re.IGNORECASE,
)
#: What stands before a day that is not the one meant: the old one, or an edge.
OTHER_DAY_PATTERN = re.compile(
    any_word(
        r"""
        from, instead of, rather than, not, no longer, before, after, was, were, by, than, ahead of, week of
        as of, as at, dated, (?:e-?mail|message|letter|note|invoice|minutes|version) of
        von, vom, nicht, statt, vor, nach
        del?, desde, no, antes de, después de, en (?:vez|lugar) de
        du, pas, avant, après, au lieu (?:de|du)
        dal, da, non, prima di, do, não, van, niet
        """
    )
    + r"\s+(?:(?:the|on|am|den|dem|el|le|il|op|last|next|for)\s+){0,2}[*_“\"(]*$",
    re.IGNORECASE,
)
DUE_PATTERN = re.compile(r"\b(?:is|it['\u2019]s|now) due\b|\bfällig\b|\bvence\b|\béchéance\b", re.IGNORECASE)
DUE_BEFORE_PATTERN = re.compile(r"\bdue\s+by\s+[*_]*$", re.IGNORECASE)
#: A line such as "Event: Friday, 20 November".
LABEL_REGEX = (
    r"|^\W*(?:event|task|appointment|meeting|(?:due )?date|day|due|when"
    r"|termin|aufgabe|cita|evento|tarea|rendez-vous|tâche)"
    r"\W*[:\u2013\u2014]"
)
#: Words by which a reply says what it has done, or of what it speaks.
WRITING_PATTERN = re.compile(
    any_word(
        r"""
        scheduled, booked, created, added, set, put, moved, rescheduled, planned, blocked, done, updated
        changed, placed, reserved, it['\u2019]s
        (?:it|event|task|appointment|meeting) (?:is|will be|has been|takes place)(?=\W+\w)
        eingetragen, angelegt, erstellt, geplant, verschoben, gesetzt, vereinbart, gebucht, erledigt, gelegt
        notiert, festgelegt, im kalender
        \w*(?:termin|aufgabe|treffen|besprechung|sitzung) (?:ist|liegt|wurde|steht)
        agendad[oa], programad[oa], cread[oa], añadid[oa], puest[oa], movid[oa], reprogramad[oa], fijad[oa]
        apuntad[oa], hecho, list[oa], (?:cita|evento|tarea) (?:es|está|será|queda|ha)
        planifiée?, ajoutée?, créée?, prévue?, programmée?, déplacée?, fixée?, inscrite?, c['\u2019]est
        (?:rendez-vous|tâche) (?:est|sera|a été)
        creat[oa], aggiunt[oa], fissat[oa], spostat[oa], programmat[oa], pianificat[oa], appuntamento è
        criad[oa], adicionad[oa], marcad[oa], marquei, agendei, criei, adicionei
        (?:evento|consulta|tarefa) (?:é|está|será|foi)
        gepland, aangemaakt, toegevoegd, verzet, (?:afspraak|taak) (?:is|staat)
        """
    )
    + LABEL_REGEX,
    re.IGNORECASE,
)
#: Today is more often when something was done than when it will be: it counts where it is said so.
TODAY_PATTERN = re.compile(r"today|tonight|heute|hoy|aujourd['\u2019]hui|oggi|hoje", re.IGNORECASE)
FOR_BEFORE_PATTERN = re.compile(
    r"\b(?:for|is|to|für|auf|ist|para|es|pour|est|per|voor|on)\s+[*_]*$|\b[èé]\s+$", re.IGNORECASE
)
#: Before the day of today: when something was written down.
STAMP_BEFORE_PATTERN = re.compile(
    r"\b(?:created|added|written|saved|updated|changed|made|erstellt|angelegt|geändert|cread[oa]|añadid[oa]|créée?"
    r"|ajoutée?) (?:on|am|el|le)\s+[*_]*$",
    re.IGNORECASE,
)
#: Between the first and the last of several days.
RANGE_BETWEEN_PATTERN = re.compile(
    r"[*_)]*\s*(?:-|\u2013|\u2014|to|until|till|through|thru"
    r"|bis(?: zum)?|al?|hasta(?: el)?|au|jusqu['\u2019]au)"
    r"(?:\s+(?:the|den|el|le))?\s*[*_(]*",
    re.IGNORECASE,
)
#: A day that says of which other thing one speaks: "Monday's review".
POSSESSIVE_PATTERN = re.compile(r"['\u2019]s\s+\w")
#: Names in quotation marks, which may have the names of days in them.
QUOTED_NAME_PATTERN = re.compile(r"“[^”]*”|\"[^\"]*\"|„[^“”]*[“”]|«[^»]*»")
#: What ends a statement: a line, or a sentence; not the mark of an ordinal or an abbreviation.
STATEMENT_END_PATTERN = re.compile(
    r"\n+|(?<!\d)(?<!\b[^\W\d_]{3})(?<!\b(?:Mo|Di|Mi|Do|Fr|Sa|So))[.!](?=\s)|(?<=\d{4})\.(?=\s)|;(?=\s)"
)
