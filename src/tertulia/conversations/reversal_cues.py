"""Words by which people take back what they said, in a few languages.

In the first two kinds of pattern the group `target` is what is taken back; in the second it is only
compared with what holds instead, so that what the sentence is about counts too. The third kind says that
something is not as it was, and the fourth that it is what was said right before.
"""

import re
from collections.abc import Iterable

WORD_START_REGEX = r"(?<!\w)"
#: Up to the next mark: what a few words are about.
TARGET_REGEX = r"(?P<target>[^,.;:!?\n\u2013\u2014]{2,80})"
SHORT_TARGET_REGEX = r"(?P<target>[^,.;:!?\n\u2013\u2014]{2,80}?)"
SAID_ABOUT_REGEX = r"(?:what (?:i|we) (?:said|wrote|told you) (?:about|on|regarding) |about |the idea of )?"


def compile_each(*patterns: str) -> tuple[re.Pattern[str], ...]:
    """Return patterns for whole words, each by itself: a group name may stand once in one."""
    return tuple(re.compile(rf"{WORD_START_REGEX}(?:{pattern})(?!\w)", re.IGNORECASE) for pattern in patterns)


def compile_screen(cues: Iterable[re.Pattern[str]]) -> re.Pattern[str]:
    """Return one pattern for small letters that is found wherever one of some cues is, and seldom elsewhere.

    Nearly all sentences take nothing back: that is told in a tenth of the time that each cue takes.
    """
    patterns = [cue.pattern.replace("?P<target>", "?:") for cue in cues]
    target_first = f"{WORD_START_REGEX}(?:{SHORT_TARGET_REGEX}".replace("?P<target>", "?:")
    begins = [pattern.replace(target_first, "(?:", 1) for pattern in patterns]
    at_word_start = [
        pattern.removeprefix(WORD_START_REGEX) for pattern in begins if pattern.startswith(WORD_START_REGEX)
    ]
    anywhere = [pattern for pattern in begins if not pattern.startswith(WORD_START_REGEX)]
    return re.compile("|".join([f"{WORD_START_REGEX}(?:{'|'.join(at_word_start)})", *anywhere]))


TARGETED_CUES = compile_each(
    r"(?<!n't )(?<!not )(?<!never )(?:scrap|scratch|ditch|disregard|ignore|cancel|discard|abandon|revoke"
    r"|retract|withdraw|call off|forget(?! to\b)|drop(?! (?:by|off|in|me|you|us)\b)"
    r"|(?:we|i)(?:'ve| have)? (?:dropped|scrapped|cancell?ed|abandoned|discarded|called off"
    r"|withdrawn|ditched|rejected))"
    rf" {SAID_ABOUT_REGEX}{TARGET_REGEX}",
    rf"never ?mind {SAID_ABOUT_REGEX}{TARGET_REGEX}",
    rf"(?:changed (?:my|our) minds?|second thoughts) (?:about|on|regarding) {TARGET_REGEX}",
    rf"{SHORT_TARGET_REGEX}(?: is| are| was| were| has been| have been|'s) (?:now )?(?:cancell?ed|scrapped"
    r"|off(?! (?:by|to|the|limits))|dropped|called off|postponed|obsolete|void|withdrawn|overruled|outdated"
    r"|out(?! of)|full(?! of)|fully booked|sold out|unavailable|not available"
    r"|off the table|not happening|no longer (?:valid|true|needed|happening|on|right|current))",
    rf"not {SHORT_TARGET_REGEX},? after all",
    rf"(?:had it|had enough|done|through|finished|fed up|over and done) (?:with|of) {TARGET_REGEX}",
    rf"(?:replac(?:e|ed|ing)|swap(?:ped)?|exchange) {SHORT_TARGET_REGEX} (?:with|by|for)",
    rf"(?:won't|will not|(?:are|am|is)(?:n't| not) going to|decided (?:against|not to)) {TARGET_REGEX}",
    rf"(?:vergiss|vergesst|vergessen (?:wir|sie)|streich\w*|storniere?n?|verwerfen wir|verwirf|ignorier\w*)"
    rf" (?:das mit |was ich (?:über|zu) )?(?:de[rmns] |die |das )?{TARGET_REGEX}",
    rf"{SHORT_TARGET_REGEX} (?:ist|sind|wurde|wird|fällt) (?:doch )?(?:abgesagt|gestrichen|hinfällig"
    r"|vom tisch|verschoben|storniert|überholt|aus)",
    rf"doch (?:nicht|kein\w*) {TARGET_REGEX}",
    rf"(?:olvida(?:d|te de)?|olvidemos|descarta(?:mos|d)?|cancela(?:mos|d)?|anula(?:mos|d)?|ignora)"
    rf" (?:lo (?:que dije )?(?:del?|sobre) )?{TARGET_REGEX}",
    rf"{SHORT_TARGET_REGEX} (?:se cancela|se anula|se aplaza|(?:está|queda|quedó) (?:cancelad|anulad"
    r"|descartad|aplazad)[oa]|se ha (?:cancelado|anulado|aplazado))",
    rf"(?:al final no|mejor no|ya no) {TARGET_REGEX}",
    rf"(?:oublie[zs]?|oublions|annule[zs]?|annulons|laisse[zs]? tomber|abandonn(?:e|ons|ez))"
    rf" (?:ce que j'ai dit (?:sur|de|à propos de) )?{TARGET_REGEX}",
    rf"{SHORT_TARGET_REGEX} (?:est|sont) (?:annulé|reporté|abandonné)e?s?",
    rf"finalement pas {TARGET_REGEX}",
    rf"pas {SHORT_TARGET_REGEX},? finalement",
    rf"(?:dimentica|annull(?:a|iamo)|lascia perdere|scart(?:a|iamo)) {TARGET_REGEX}",
    rf"(?:esque[çc]\w+|cancel(?:a|e|amos)|descart\w+|já não) {TARGET_REGEX}",
)
COMPARED_CUES = compile_each(
    rf"(?:instead of|rather than|in place of) {TARGET_REGEX}",
    r"(?:switch|mov|chang|migrat|go|going|revert|return|shift)(?:e|ed|es|ing|ting)? (?:back |over |away )?"
    rf"from {SHORT_TARGET_REGEX} to",
    rf"not {SHORT_TARGET_REGEX},? but",
    rf"(?<=[,;\u2013\u2014]) ?not {TARGET_REGEX}[.!]?$",
    rf"(?:statt|anstatt|anstelle (?:von|des|der)) (?!dessen){TARGET_REGEX}",
    rf"en (?:vez|lugar) de {TARGET_REGEX}",
    rf"(?:au lieu d[eu]|à la place d[eu]|plutôt que) {TARGET_REGEX}",
    rf"(?:invece di|al posto di|em vez de) {TARGET_REGEX}",
)
UPDATE_CUES = compile_each(
    r"actually|correction|turns out|on reflection|thinking about it again|now(?=[.!]?$)|change of plans?"
    r"|instead|after all|no longer|any ?more|from now on"
    r"|as of (?:now|today)|(?:go|going|went|switch\w*|revert\w*|back|return\w*|mov(?:e|ed|ing)) (?:back )?to"
    r"|(?:is|are) now|now (?:is|are)|new(?= (?:[\w-]+ ){1,3}(?:is|are)\b)"
    r"|(?:was|were|has been|have been|got|is|are) (?:moved|pushed|postponed|rescheduled|changed|raised"
    r"|lowered|increased|reduced|brought forward|replaced|updated)|on second thou?ghts?"
    r"|i was wrong|make (?:that|it)|no,? wait|wait,? no|hm+,? no|oops|i misspoke|these days|nowadays|by now"
    r"|(?:slip(?:s|ped)?|shift(?:s|ed)?|extend(?:s|ed)?|drop(?:s|ped)|rises?|rose|went up|goes up|falls?|fell"
    r"|shrinks?|shrank|grows?|grew) to|(?:gave|given|give) (?:us|me|them) (?:\w+ ){0,2}more"
    r"|new (?=(?:[\w-]+ ){0,2}[\w-]+:)"
    r"|(?:got|have) (?:an? |us an? |us the )?(?:new|bigger|smaller|another|different)",
    r"verschiebt sich|verschieben (?:wir|sich)|verlegt|verschoben|mittlerweile|inzwischen"
    r"|moment,? nein|ach nein",
    r"se (?:mueve|pasa|retrasa|adelanta|cambia) (?:a|al|para)|ahora|perdón|no,? espera|espera,? no",
    r"(?:est|sont|sera) (?:décalée?s?|reportée?s?|avancée?s?)|passe à|maintenant|non,? attends|pardon",
    r"doch (?:lieber|wieder)|stattdessen|korrektur|planänderung|zurück zu[mr]?|wieder zu[mr]?"
    r"|ab (?:jetzt|sofort)|neue[rsn]?(?= \w+ (?:ist|lautet)\b)|(?:ist|sind) jetzt|nicht mehr|eigentlich"
    r"|umentschieden",
    r"al final|en realidad|corrección|cambio de planes?|volvemos a|volver a|cambiamos a|a partir de ahora"
    r"|ahora (?:es|son)|nuev[oa](?= \w+ es\b)|ya no|mejor",
    r"finalement|en fait|changement de plan|rev(?:enons|ient) à|repasse à|désormais|dorénavant"
    r"|(?:est|sont) maintenant|nouvelle?(?= \w+ est\b)|changé d'avis",
    r"alla fine|in realtà|cambio di programma|torniamo a|non più|d'ora in poi"
    r"|afinal|na verdade|mudança de planos|volt(?:amos|ar) (?:a|para)|agora é",
)
UNSPACED_UPDATE_CUES = (
    re.compile("取消|改为|改成|不再|算了|还是用|而不是|やめ|キャンセル|取り消|ではなく|변경|취소|대신"),
)
BACKWARD_CUES = compile_each(
    r"(?:scratch|strike|forget|scrap|cancel|ignore) (?:that|it|this)|never ?mind(?: that| it)?"
    r"|make (?:that|it)|i meant|correction|changed my mind|on second thou?ghts?|i was wrong|change of plans?"
    r"|let(?:'s| us) rather|rather let(?:'s| us)",
    r"(?:wir|ich) (?:\w+ )?doch lieber|tout compte fait|réflexion faite|pensándolo (?:bien|mejor)"
    r"|ripensandoci|pensando bem",
    r"vergiss (?:das|es)|ich meinte|korrektur|planänderung|umentschieden"
    r"|olvídalo|quise decir|corrección|oublie(?:z)? (?:ça|cela)|je voulais dire|j'ai changé d'avis"
    r"|lascia perdere|volevo dire|esqueça (?:isso|lá)|quis dizer",
)
REVERSAL_CUES = (*TARGETED_CUES, *COMPARED_CUES, *UPDATE_CUES, *UNSPACED_UPDATE_CUES, *BACKWARD_CUES)
REVERSAL_SCREEN = compile_screen(REVERSAL_CUES)
#: Letters that equal another where case is ignored, and are none of its small or capital form.
ALIKE_LETTERS_TABLE = str.maketrans({"\u0131": "i", "\u017f": "s"})


def may_have_reversal(text: str) -> bool:
    """Tell whether any of the cues may be found in a text: sure where it says no, and soon told."""
    small = text.lower()
    if not small.isascii():
        # A capital I with a dot becomes a small one and the dot.
        small = small.replace("i\u0307", "i").translate(ALIKE_LETTERS_TABLE)
    return REVERSAL_SCREEN.search(small) is not None


#: Between what a sentence is about and what it says of it.
COPULA_PATTERN = re.compile(
    r"\b(?:is|are|was|were|will|has|have|had|ist|sind|war|wird|hat|es|son|está|están|est|sont|sera|è|sono|é|são)\b"
    r"|'s\b|'ll\b",
    re.IGNORECASE,
)
#: How a person asks for what was so before.
HISTORY_CUES = compile_each(
    r"before|earlier|originally|initially|previous(?:ly)?|formerly|at first|in the beginning|used to|so far"
    r"|history|had (?:we|i|you)|(?:we|i) had|first (?:decide|plan|choose|want|say|think)\w*|chang(?:e|ed|es)",
    r"vorher|früher|ursprünglich|zuerst|anfangs|bisher|geändert|antes|al principio|originalmente|primero"
    r"|cambi\w+|avant|auparavant|au début|initialement|d'abord|prima|all'inizio|inizialmente"
    r"|no início|primeiro",
)
UNSPACED_HISTORY_CUES = (re.compile("之前|原来|最初|以前|元々|이전|원래"),)
