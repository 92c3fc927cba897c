"""Words by which people decide, prefer, ask and hand things over, in a few languages."""

import re


def compile_cues(*patterns: str) -> re.Pattern[str]:
    """Return one pattern for whole words."""
    return re.compile(rf"(?<!\w)(?:{'|'.join(patterns)})(?!\w)", re.IGNORECASE)


def compile_small_cues(*patterns: str) -> re.Pattern[str]:
    """Return one pattern for whole words of a text in small letters: a third of the work."""
    return re.compile(rf"(?<!\w)(?:{'|'.join(patterns)})(?!\w)")


DECISION_CUES = compile_small_cues(
    r"(?:we|i|they)(?:'ve| have)? (?:now |finally |already )?(?:decided|agreed|settled|chose|opted|picked)",
    r"(?:it was|it is|it's|was|were|been|is) (?:decided|agreed|settled|approved|signed off)",
    r"(?:the|our|my|final) (?:final )?(?:decision|choice|agreement)(?: is| was|:)",
    r"decision:|decided:|agreed:",
    r"hemos (?:decidido|acordado)|decidimos|acordamos|la decisión",
    r"wir haben (?:uns )?(?:\w+ ){0,6}(?:entschieden|beschlossen|vereinbart)|beschlossen|die entscheidung",
    r"(?:nous avons|on a|j'ai) décidé|la décision|nous avons convenu",
    r"decidimos|ficou decidido|abbiamo deciso",
)
#: In scripts that write words without spaces between them.
UNSPACED_DECISION_CUES = re.compile("决定|決定|同意|约定|결정|ตกลง")
#: Said by a person these settle a matter; a model says them on every other line.
SETTLING_CUES = compile_cues(
    r"let's (?:go with|use|do|take|keep|stick (?:to|with)|make it|call it)",
    r"(?:we|i)(?:'ll| will| are going to| am going to|'re going to|'m going to) "
    r"(?:use|go with|go for|take|keep|ship|move|switch|stay|deploy|launch"
    r"|release|pay|hire|call|name|run|start)",
    r"go with|we're going with|i'm going with|we are going with",
    r"vamos con|usaremos|wir nehmen|wir verwenden|wir machen|on prend|on part sur|nous utiliserons",
)
PREFERENCE_CUES = compile_small_cues(
    r"i(?:'d| would)? (?:much |really |strongly )?prefer",
    r"i (?:really )?(?:like|love|dislike|hate|want you to|need you to)",
    r"(?:please )?(?:don't|do not|never) (?:use|write|add|send|call|mention|include|show"
    r"|ask|suggest|put|make)",
    r"please (?:don't|do not|always|never|keep|use|write|avoid|answer)",
    r"always (?:use|write|answer|keep|add|send|call|give|put|make|show)",
    r"(?:my|our) (?:preference|favou?rite|rule|convention|policy)",
    r"(?:please |just )?call me",
    r"i(?:'m| am) (?:allergic|vegetarian|vegan|left-handed|colou?r-?blind)",
    r"(?:write|give|quote|show|keep|make|format|phrase|word|use|spell|address|speak|talk|answer|reply|respond)\b[^.?!]{0,40}"
    r"\b(?:answers?|replies|responses|everything|always|only|from now on|in (?:the )?future|to me|with me)",
    r"i (?:don't|do not|never|can't|cannot|mustn't) (?:eat|drink|take|wear|fly|drive|work (?:on|at)|smoke)",
    r"(?:no|nunca) (?:como|bebo|tomo|puedo (?:comer|beber|tomar))"
    r"|ich (?:esse|trinke|nehme|vertrage|darf) kein\w*"
    r"|je ne (?:mange|bois|prends|peux) (?:pas|jamais)|non (?:mangio|bevo)|não (?:como|bebo)",
    r"prefiero|preferimos|me gusta|no uses|siempre usa|nunca uses",
    r"ich bevorzuge|ich mag|bitte (?:kein\w*|nicht|immer|nie)|mir ist lieber",
    r"je préfère|j'aime|n'utilise(?:z)? (?:pas|jamais)|toujours utiliser",
)
#: How a person says that something is to be kept in mind.
REMINDER_CUES = compile_small_cues(
    r"remember(?: that|:|,)|for the record|keep (?:that |this |it )?in mind",
    r"(?:please )?note that|don't forget|fyi",
    r"recuerda que|ten en cuenta|merk dir|denk daran|nicht vergessen|retiens que|n'oublie pas|note que",
)
#: How a person tells what is theirs.
STATEMENT_CUES = compile_small_cues(
    r"(?:my|our) (?:[\w'-]+ ){1,5}(?:is|are|was|were|will be|has|have|lives?|runs?|works?)",
    r"(?:mi|nuestr[oa]) (?:\w+ ){1,5}(?:es|está)|(?:mein|unser)e? (?:\w+ ){1,5}(?:ist|heißt)",
    r"(?:mon|ma|notre) (?:\w+ ){1,5}(?:est|s'appelle)|i am called|my name is|i live in|i work (?:at|for|as)",
)
CREATION_CUES = compile_small_cues(
    r"i(?:'ve| have)? (?:just )?(?:created|written|wrote|made|built|added|saved|generated"
    r"|drafted|prepared|set up)",
    r"(?:here is|here's|here are|below is) (?:the|a|an|your) (?:\w+ ){0,3}"
    r"(?:file|files|script|document|draft|code|function|class|module|table|plan|list|letter|config\w*|schema)",
    r"(?:was|were|has been|have been) (?:created|written|saved|generated|added) (?:as|in|to|at|under)",
    r"he creado|ich habe (?:\w+ ){0,5}(?:erstellt|geschrieben|angelegt)|j'ai (?:créé|écrit)",
)
#: Words around an answer that say nothing.
FILLER_PATTERN = re.compile(
    r"^(?:sure|certainly|of course|absolutely|great|good|excellent|thanks?|thank you|you're welcome|hello"
    r"|hi|hey|okay|ok|got it|understood|no problem|happy to help|i hope|let me know|feel free"
    r"|i'd be happy|glad|is there anything|would you like|do you want me)\b",
    re.IGNORECASE,
)
EVASION_CUES = compile_small_cues(
    r"i (?:don't|do not) (?:know|have (?:that|this|any|enough|access))"
    r"|i'm not sure|i am not sure|not certain",
    r"i (?:can't|cannot|could not|couldn't) (?:answer|find|tell|say|know|help|access)",
    r"(?:could|can) you (?:clarify|tell|share|provide|give|specify)"
    r"|need more (?:information|details|context)",
    r"no lo sé|ich weiß (?:es )?nicht|je ne sais pas",
)
#: How a sentence begins that cannot be understood without the one before it.
DEPENDENT_START_PATTERN = re.compile(
    r"^(?:(?:and|but|so|then|also|or) )?(?:it|its|it's|that|that's|this|these|those|they|there|he|she|his|her"
    r"|both|the (?:former|latter)|es|das|dies\w*|eso|esto|cela|ce|c'est)\b",
    re.IGNORECASE,
)
#: Words that turn a sentence into its contrary.
NEGATION_CUES = compile_small_cues(
    r"not|\w+n't|cannot|never|no|none|nobody|nothing|neither|nor|without",
    r"nunca|jamás|ningun[oa]?|ningún|nadie|sin|tampoco|não|nenhum|sem|non|senza|nessuno",
    r"nicht|kein\w*|nie|niemals|niemand|nichts|ohne|weder|niet|geen|nooit|zonder",
    r"ne|pas|jamais|aucune?|personne|rien|sans|(?<=\s)n'\w+",
)
UNSPACED_NEGATION_CUES = re.compile("不|没|沒|未|别|無|ない|ません|않|못|ไม่")
STRAIGHT_QUOTES_TABLE = str.maketrans("’‘“”", "''\"\"")


def to_small_letters(text: str) -> str:
    """Return a text as cues look at it: in small letters, with straight quotes."""
    return text.translate(STRAIGHT_QUOTES_TABLE).lower()


def is_decision(text: str, *, by_user: bool) -> bool:
    """Tell whether a sentence says that something was decided."""
    plain = to_small_letters(text)
    if is_question(plain):
        return False
    if by_user and (SETTLING_CUES.search(plain) or UNSPACED_DECISION_CUES.search(plain)):
        return True
    return DECISION_CUES.search(plain) is not None


def is_preference(text: str, *, by_user: bool) -> bool:
    """Tell whether the person says how they want things."""
    return by_user and not is_question(text) and PREFERENCE_CUES.search(to_small_letters(text)) is not None


def is_statement(text: str, *, by_user: bool) -> bool:
    """Tell whether the person says how something of theirs is."""
    return by_user and not is_question(text) and STATEMENT_CUES.search(to_small_letters(text)) is not None


def is_reminder(text: str, *, by_user: bool) -> bool:
    """Tell whether the person wants something kept in mind."""
    return by_user and not is_question(text) and REMINDER_CUES.search(to_small_letters(text)) is not None


def has_negation(text: str) -> bool:
    """Tell whether a sentence says that something is not so."""
    plain = to_small_letters(text)
    return bool(NEGATION_CUES.search(plain) or UNSPACED_NEGATION_CUES.search(plain))


def is_creation(text: str) -> bool:
    """Tell whether a sentence hands something over that was made."""
    return CREATION_CUES.search(to_small_letters(text)) is not None


def is_question(text: str) -> bool:
    """Tell whether a sentence is a question."""
    return text.rstrip("\"'”’)*_ ").endswith(("?", "？", "؟", ";?"))


def is_evasion(text: str) -> bool:
    """Tell whether an answer is none."""
    return EVASION_CUES.search(to_small_letters(text)) is not None
