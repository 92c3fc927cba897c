"""Words by which people say that they are for or against something, and that this was otherwise before."""

import re

ADVERB_REGEX = (
    r"(?: (?:really|now|just|also|recently|totally|slowly|finally|completely|actually|quite|so|very|much"
    r"|pretty"
    r"|absolutely|suddenly|lately|gradually|honestly|definitely|kind of|sort of|rather|fully|all but|since"
    r"|still|always|truly|simply|a bit|a little|somewhat|by now|even))*"
)
I_REGEX = rf"(?:i|we)(?:'ve|'m|'re|'d| have| am| are| had| was| were)?{ADVERB_REGEX}"
#: What it is about: up to what ends a clause.
THING_REGEX = r"(?P<thing>[^,;:.!?]{2,70}?)"
END_REGEX = (
    r"(?:,|;|$| (?:at all|altogether|entirely|completely|any ?(?:more|longer)|these days|lately|recently|now"
    r"|this year|because|since|but|so|as|when|after|ever since|for (?:good|now|health reasons))\b| and (?:i"
    r"|we|my)\b"
    r"| (?:in|for) (?:weeks|months|years|ages|a (?:long|good) (?:time|while))\b)"
)
BORED_REGEX = r"(?:bored|tired|sick|weary|wary|fed up|disillusioned|disappointed)(?: of| with| by| in)"
FOND_REGEX = (
    r"(?:fan of|fond of|keen on|into|obsessed with|hooked on|addicted to|crazy about|mad about|big on"
    r"|passionate about|partial to|lover of|devoted to|enthusiastic about|sold on)"
)
LIKE_REGEX = r"(?:like|love|enjoy|appreciate|adore|prefer|favou?r|cherish)"
LIKING_REGEX = r"(?:liking|loving|enjoying|appreciating|preferring)"
HATE_REGEX = (
    r"(?:hate|dislike|detest|loathe|despise|avoid|dread|can't (?:stand|bear)|cannot (?:stand|bear)"
    r"|can not stand|could do without)"
)
NOT_REGEX = r"(?:don't|do not|doesn't|does not|didn't|never|won't|can't|cannot|couldn't)"
DULL_REGEX = (
    r"(?:boring|dull|annoying|tedious|gross|disgusting|tiring|overrated|stressful|awful|terrible|exhausting"
    r"|pointless|horrible|unbearable|too much|off-putting|repulsive)"
)
DO_REGEX = (
    r"(?:do|play|watch|read|eat|drink|use|take|practi[sc]e|follow|support|listen to|collect|bake|cook|ride"
    r"|wear"
    r"|make|visit|attend|learn|study|go to|go|run|smoke|buy|order|swim|train|write|paint|sing)"
)


def _compile(*patterns: str) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(pattern, re.IGNORECASE) for pattern in patterns)


TURNED_AGAINST_PATTERNS = _compile(
    rf"{I_REGEX} (?:fallen out of love with|gone off|went off|lost (?:all |my |any )?(?:interest in|(?:taste"
    r"|appetite|passion|love|enthusiasm) (?:for|of))|had (?:quite )?enough of|given up(?: on)?"
    r"|gave up(?: on)?|giving up(?: on)?|quit|stopped|outgrown|outgrew|cooled on|soured on"
    r"|turned (?:off|away from|against)|moved on from"
    r"|sworn off|swore off|cut out|dropped|ditched|done with|over|through with|no longer|not any longer"
    rf"|(?:(?:grown|grew|got|gotten|become|became|getting|growing) )?(?:so |really )?{BORED_REGEX}"
    rf"|(?:come|came|grown|started|begun|began|learned|learnt) to {HATE_REGEX}"
    r"|(?:started|begun|began) (?:hating|avoiding|disliking|dreading))"
    rf" (?:{LIKE_REGEX} |{FOND_REGEX} |(?:an? )?(?:\w+ )?{FOND_REGEX} |{DO_REGEX} |dream(?:ing)? (?:of"
    rf"|about) |(?:want|plan|hope|intend|wish) to )?"
    rf"{THING_REGEX}{END_REGEX}",
    rf"{I_REGEX} (?:{NOT_REGEX}|hardly ever|hardly|barely|rarely|seldom)(?: really| ever| much)* \w+"
    rf"(?: to| for)? {THING_REGEX} (?:as much )?(?:any ?(?:more|longer)|these days|lately)\b",
    rf"{I_REGEX} left {THING_REGEX} behind\b",
    rf"{I_REGEX} not (?:really |much of )?(?:an? )?(?:\w+ ){{0,2}}?{FOND_REGEX} {THING_REGEX}"
    r" (?:any ?(?:more|longer)|these days|lately)\b",
    rf"(?:i|we) (?:haven't|have not)(?: really)? (?:\w+ed|\w+en|done|had|read|gone to|gone|made|been to|drunk"
    rf"|run|sung|watched|been|worn|bought) {THING_REGEX} (?:in|for) (?:weeks|months|years|ages|a (?:long"
    rf"|good)"
    r" (?:time|while))\b",
    rf"{THING_REGEX} (?:doesn't|don't|does not|do not|no longer) (?:really )?(?:agrees? with|appeals? to"
    r"|interests?|excites?|do it for|does it for|tastes? good to|works? for|suits?|thrills?|speaks? to) me\b",
    rf"{THING_REGEX} (?:has|have) lost (?:its|their|all) (?:appeal|charm|magic)\b",
    rf"{THING_REGEX} (?:is|are|isn't|aren't) (?:just )?(?:no longer|not)? ?(?:my thing|for me|my cup of tea)"
    r" any ?(?:more|longer)\b",
    rf"{THING_REGEX} (?:is|are) no longer (?:my|for me|one of my)\b",
)
TURNED_TO_PATTERNS = _compile(
    rf"{I_REGEX} (?:warmed (?:up )?to|warming (?:up )?to|(?:come|came) (?:a)?round to"
    rf"|(?:come|came|grown|grew|learned|learnt|begun|began|started|got|gotten|starting) to {LIKE_REGEX}"
    rf"|(?:started|begun|began|starting) {LIKING_REGEX}"
    r"|(?:gotten|got|getting|become|became|grown) (?:\w+ ){0,3}?"
    rf"{FOND_REGEX}|taken (?:up|to|a (?:liking|shine) to)|took (?:up|to|a liking to)|fallen (?:in love with"
    rf"|for)"
    r"|fell (?:in love with|for)|(?:developed|acquired|discovered|found) (?:an?|my|the) (?:\w+ )?(?:taste"
    r"|love"
    r"|passion|liking|soft spot|joy|appreciation) (?:for|of|in)|rediscovered|been won over by"
    r"|made my peace with|can't get enough of)"
    rf" (?:{LIKING_REGEX} )?{THING_REGEX}{END_REGEX}",
    rf"{THING_REGEX} (?:has|have|'s)(?: really| kind of)? (?:grown on me|won me over|become (?:an? |one of )?"
    r"(?:my )?(?:new |absolute )?favou?rites?)\b",
)
AGAINST_PATTERNS = _compile(
    rf"{I_REGEX} {HATE_REGEX} {THING_REGEX}{END_REGEX}",
    rf"{I_REGEX} {NOT_REGEX}(?: really| particularly| much| even)* (?:{LIKE_REGEX}|care for|{DO_REGEX})"
    rf" {THING_REGEX}{END_REGEX}",
    rf"{I_REGEX} not (?:really |much of |exactly |at all )?(?:an? )?(?:\w+ ){{0,2}}?{FOND_REGEX}"
    rf" {THING_REGEX}{END_REGEX}",
    rf"(?:i|we) (?:now )?(?:take|drink|have|eat|like|prefer) (?:my |our )?\w+ without (?:any )?"
    rf"{THING_REGEX}{END_REGEX}",
    rf"{I_REGEX} (?:find|consider|found) {THING_REGEX} (?:so |too |really |rather |a bit )?{DULL_REGEX}",
    rf"{THING_REGEX} (?:is|are) (?:so |too |really )?{DULL_REGEX}$",
    rf"{THING_REGEX} (?:isn't|aren't|is not|are not) (?:really )?(?:my thing|for me|my cup of tea)\b",
    rf"{THING_REGEX} (?:bores?|annoys?|disgusts?|exhausts?) me\b",
)
FOR_PATTERNS = _compile(
    rf"{I_REGEX} (?:{LIKE_REGEX}|live for|swear by|look forward to) {THING_REGEX}{END_REGEX}",
    rf"{I_REGEX} (?:an? )?(?:(?!not\b|no\b)\w+ ){{0,3}}?{FOND_REGEX} {THING_REGEX}{END_REGEX}",
    rf"{THING_REGEX} (?:is|are) (?:my|one of my|our) (?:\w+ )?(?:favou?rites?|go-to|passion|thing"
    r"|drink of choice|preferred)\b",
    rf"(?:my|our) (?:dream|goal|wish|ambition|hope) is (?:to )?{THING_REGEX}{END_REGEX}",
    rf"(?:my|our) (?:favou?rite|go-to|preferred) [\w ]{{2,30}}? (?:is|are) {THING_REGEX}{END_REGEX}",
)
HABIT_PATTERNS = _compile(
    rf"(?:i|we)(?:'m|'re| am| are)?(?: usually| often| always| mostly| regularly| still)*"
    rf" (?:{DO_REGEX}|learning|practising|practicing|studying|playing|taking) {THING_REGEX}{END_REGEX}",
)
#: What tells when, how often and with what else, and is no part of the thing.
ASIDE_PATTERN = re.compile(
    r"\b(?:(?:in|on|at|during|every|each) (?:the )?(?:mornings?|evenings?|afternoons?|nights?|weekends?"
    r"|summer"
    r"|winter|spring|autumn|days?|weeks?)|mostly|mainly|a lot|very much|all the time|so much|at all"
    r"|(?:once|twice|\w+ times) (?:a|per) (?:day|week|month))\b",
    re.IGNORECASE,
)
ATTITUDE_GATE_PATTERN = re.compile(r"(?<!\w)(?:i|we|me|my|our|mine|us)(?!\w)", re.IGNORECASE)
