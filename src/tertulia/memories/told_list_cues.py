"""Words by which people begin to tell facts, and those by which they quote them."""

import re

#: How a person begins to tell facts.
LIST_NOUN_REGEX = r"(?:facts|statements|updates|corrections)"
REMINDER_LEAD_PATTERN = re.compile(
    r"(?:.{0,60}[.,!] )?(?:please |now |also |can you |could you |i want you to )*"
    r"(?:remember|memori[sz]e|learn|keep in mind|note|take note of|store|save)"
    r" (?:all |of |these|those|the|this|following|my|some|more|new|next|few|\d+|[, ])*"
    rf"(?:numbered )?(?:{LIST_NOUN_REGEX}|information|knowledge|list of)\b",
    re.IGNORECASE,
)
LIST_LEAD_PATTERN = re.compile(
    r"(?:hi|hello|hey|ok(?:ay)?|now|next|also|and|update|[,.!: ])*"
    r"(?:here(?:'s| is| are| comes?)|these are|below|the following|following|let me (?:give|tell)"
    r"|i(?:'ll| will|'m going to) (?:give|tell)|some|more|new|further|another|a|numbered|list|part"
    rf"|{LIST_NOUN_REGEX})\b.*\b{LIST_NOUN_REGEX}\b",
    re.IGNORECASE,
)
BARE_LEAD_PATTERN = re.compile(rf"{LIST_NOUN_REGEX}\b[^.]*[:.!]?$", re.IGNORECASE)
#: A sentence that announces something to be known, where nearly all that follows are facts.
ANNOUNCING_PATTERN = re.compile(
    rf"(?=.*\b(?:{LIST_NOUN_REGEX}|fact|changes|knowledge|what i know|know the following|fakten|faits|hechos"
    r"|(?:things|what) (?:to|you (?:should|need to|must)) (?:know|remember))\b)"
    r"(?:(?:ok(?:ay)?|let's go|update|now|next|hi|hello|so|and|also|first|then|please)[,.!:]? )*"
    r"(?:here|these|below|some|more|new|next|another|list|part|the|my|things|updates?|let me|what|following"
    r"|i(?:'ll|'ve| will|'m going to| am going to| want| have| know)|hier|voici|aquí"
    rf"|{LIST_NOUN_REGEX}|changes|knowledge)\b",
    re.IGNORECASE,
)
TELLING_VERB_PATTERN = re.compile(
    r"(?:.{0,60}[.,!] )?(?:please |now |also |then |and |can you |could you |you should"
    r" |i(?:'d like| want| need) you to )*"
    r"(?:(?:remember|memori[sz]e|learn|know|merke? dir|retiens|mémorise\w*|recuerda)\b(?! that\b|,? dass\b"
    r"| que\b)|(?:keep|bear) .{0,60}\b(?:in mind|records?|track)\b|take note of\b"
    rf"|note (?:down\b|(?:these|this|the following)(?: {LIST_NOUN_REGEX}| changes)?\W*$)"
    r"|read .{0,60}\b(?:and|then) (?:remember|memori[sz]e|learn|keep)\b)",
    re.IGNORECASE,
)
#: Somebody else's facts: "Bob's facts".
OTHERS_LIST_PATTERN = re.compile(
    r"(?<!\w)(?!(?:here|let|what|it|that|there|today)'s)\w+'s (?:[\w-]+ ){0,2}"
    rf"(?:list|knowledge|background|{LIST_NOUN_REGEX})\b",
    re.IGNORECASE,
)
#: Whoever says where facts are from, or what to do with them, quotes them.
QUOTED_LEAD_PATTERN = re.compile(
    r"\b(?:from|page|web ?site|web|article|files?|documents?|e-?mails?|letter|book|chat|says?|said|wrote|told"
    r"|according|search|results?|transcript|tool|output|translat\w*|summari\w*|check|verify|rewrite|rate"
    r"|improve|sort|rank|extract\w*|passage|why|rules?|my (?:essay|text|boss|teacher|friend)|sent|forwarded"
    r"|pasted|quote\w*|novel|film|movie|quiz|exam|test|homework|flyer|poster|slides?|board|mistakes?|errors?"
    r"|(?:tell|say|decide|mark|find|judge)\b.*\b(?:which|whether|if|what|wrong|false))\b|\?",
    re.IGNORECASE,
)
