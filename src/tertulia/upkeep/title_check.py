"""Whether a line can be a title at all: words, and not markup, a call of a tool, or talk about the task.

A line that is refused costs little, since the question's own words stay. One that is taken in error is
read by a person, so whatever is in doubt is refused.
"""

import re
import unicodedata

#: A line that is longer is talk and no title.
TITLE_LINE_MAX_CHARS = 120
#: A title may end with a full stop, but not a whole sentence.
STATEMENT_MIN_WORDS = 7

#: Letters, their marks, digits, spaces, punctuation, quotation marks, brackets and currencies of any script.
TITLE_CHAR_CATEGORIES = frozenset("LMNZPS")
#: Symbols that stand in ordinary text; others are of the marks that models write to programs.
TITLE_SYMBOLS = frozenset("+=<>~|^`\u00b4\u00d7÷±\u2212≤≥≠≈→←↔°©®™№")
EMOJI = re.compile("[\u2600-\u27bf\U0001f000-\U0001faff]")
#: What may open a title beside a letter, a digit or an emoji.
TITLE_OPENING_CHARS = frozenset("\"'\u201a„「『《¿¡.#@/§+…")
#: Currencies, quotation marks that open, dashes.
TITLE_OPENING_CATEGORIES = ("Sc", "Pi", "Pd")

TITLE_MARKUP = re.compile(
    r"""
    (?<!\w)[<\[]\S | </ | <\|          # a tag, a mark in brackets
    | [{}]                               # data
    | &\#?\w+;                           # markup that was escaped
    | \w=\S                              # a value under a name
    | \A[\w.]+\(.*\)\W*\Z                # a call
    """,
    re.VERBOSE,
)
#: A word before a colon that says what kind of text follows, rather than what it is about.
TEXT_KIND_LABEL = re.compile(
    r"""\A(?:(?:my|final|the)\s+)?(?:
    action(?:\s+input)?|thought|thoughts|thinking(?:\s+process)?|think|reasoning|reflection|analysis|observation
    |commentary|final|answer|response|error|warning|exception|option(?:\s+\d+)?|tool(?:[\s_]calls?)?|function(?:[\s_]call)?|assistant|system|user|human
    |gedanken?|überlegung|antwort|réflexion|réponse|pensamiento|respuesta|思考|分析|回答
    )\s*[:\uff1a]
    | \Aassistant(?:final|analysis|commentary)""",
    re.IGNORECASE | re.VERBOSE,
)
#: What stands in the place of a title where a model has none.
TITLE_PLACEHOLDER = re.compile(
    r"""\A(?:
    untitled(?:\s+(?:chat|conversation))? | (?:a|the|no|new|empty)?\s*(?:title|chat|conversation)(?:\s+title)?
    | none | null | nil | n/?a | undefined | unknown | tbd | sorry | request\s+(?:denied|refused)
    | (?:kein|ohne)\s+titel | sans\s+titre | sin\s+título | senza\s+titolo | sem\s+título | 无标题 | 無題
    )\W*\Z""",
    re.IGNORECASE | re.VERBOSE,
)
#: A model that speaks of itself, of the person or of its task.
MODEL_TALK = re.compile(
    r"""\A(?:
    i(?:['\u2019](?:m|ll|ve|d)|\s+(?:am|will|would|can(?:no|['\u2019])?t?|could|need|should|have|do|don['\u2019]t|must
        |think|want|was|apologi[sz]e|understand|see))\b
    | we\s+(?:need|should|must|have|are|can|could|want)\b
    | as\s+an?\s+(?:\w+\s+)?(?:language\s+)?model\b | how\s+(?:can|may)\s+i\s+(?:help|assist)\b
    | (?:hello|hi|hey)\W+how\s+(?:can|may)\b
    | (?:it|that)\s+(?:seems|appears|looks|sounds)\s+(?:like|that|you|as)\b
    | that['\u2019]s\s+an?\s+\w+\s+question\b | thank\s+you\s+for\b
    | (?:(?:unable|not\s+able)\s+to|can(?:not|['\u2019]t)|could(?:\s+not|n['\u2019]t))\s+
        (?:help|assist|comply|fulfil+|(?:create|generate|provide|write|give)\s+(?:a|the|any)?\s*title)\b
    | let\s+me\b | let['\u2019]s\s+(?:see|think|look)\b | as\s+an\s+ai\b | here(?:['\u2019]s|\s+is|\s+are)\b
    | (?:ok|okay|sure|sorry|certainly|alright|well|so|yes|no|absolutely|great|unfortunately)\s*[,.!:;…]
    | of\s+course\b | hm+\b | sorry\s+(?:but|i)\b | (?:my\s+)?apologies\b
    | (?:the\s+|this\s+)?(?:user|person|human)(?:['\u2019]s\s+(?:message|question|request)
        |\s+(?:wants?|asks?|asked|is|needs?|would|has|said|says|seems|just|provided|writes|wrote)\b)
    | (?:the|this)\s+(?:message|conversation|question|request|title)\s+(?:is|asks|begins|should|seems|could)\b
    | ich\s+(?:kann|bin|werde|habe|muss|möchte|soll|denke|verstehe)\b | (?:es\s+)?tut\s+mir\s+leid\b
    | (?:gerne?|natürlich|entschuldigung|klar|okay|leider)\s*[,.!:]
    | der\s+(?:be)?nutzer\s+(?:möchte|will|fragt|hat|ist|braucht)\b | hier\s+(?:ist|sind)\b
    | je\s+(?:suis|ne|peux|vais|dois|pense)\b | désolée?\b | voici\b | bien\s+sûr\b | l['\u2019]utilisateur\b
    | lo\s+siento\b | no\s+puedo\b | claro\s*[,.!:] | el\s+usuario\b | aquí\s+(?:está|tienes)\b
    | mi\s+dispiace\b | ecco\b | desculpe\b | não\s+posso\b | o\s+usuário\b
    | 抱歉 | 对不起 | 用户 | 好的 | 我(?:无法|不能|需要|会|是) | 申し訳 | すみません | ユーザー
    )""",
    re.IGNORECASE | re.VERBOSE,
)


def can_be_title(line: str) -> bool:
    """Tell whether a line is a few words that name something."""
    return (
        len(line) <= TITLE_LINE_MAX_CHARS
        and any(sign.isalnum() for sign in line)
        and can_open_title(line[0])
        and all(is_ordinary_char(sign) for sign in line)
        and not any(
            shape.search(line) for shape in (TITLE_MARKUP, TEXT_KIND_LABEL, TITLE_PLACEHOLDER, MODEL_TALK)
        )
        and not is_sentence(line)
    )


def can_open_title(sign: str) -> bool:
    """Tell whether a title may begin with a character: with a word's, and with no bracket or mark."""
    return (
        sign.isalnum()
        or sign in TITLE_OPENING_CHARS
        or is_emoji(sign)
        or unicodedata.category(sign) in TITLE_OPENING_CATEGORIES
    )


def is_ordinary_char(sign: str) -> bool:
    """Tell whether a character stands in ordinary text."""
    category = unicodedata.category(sign)
    if category in ("Sm", "So", "Sk"):
        return sign in TITLE_SYMBOLS or is_emoji(sign)
    # Joins the parts of emoji, and the letters of some scripts.
    return category[0] in TITLE_CHAR_CATEGORIES or sign in "\u200c\u200d"


def is_emoji(sign: str) -> bool:
    """Tell whether a character is a picture."""
    return EMOJI.match(sign) is not None


def is_sentence(line: str) -> bool:
    """Tell whether a line is a whole sentence that states something."""
    return line.endswith((".", "。")) and len(line.split()) >= STATEMENT_MIN_WORDS
