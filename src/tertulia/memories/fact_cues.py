"""Words by which people tell who they are: where they live, what they do, whom they have, how they feel."""

import re

from tertulia.memory.cues import compile_cues
from tertulia.memory.worth_cues import RELATIVE_REGEX, WEEKDAY_REGEX

ME_REGEX = (
    r"(?:i|we|my (?:wife|husband|partner|family) and i)(?:'m|'re|'ve| am| are| have| was| were)?"
    r"(?: (?:now|also|just|recently|currently|actually|both|really|still|only|mostly|usually))*"
)
PET_REGEX = r"dogs?|cats?|rabbits?|horses?|parrots?|hamsters?|pets?|puppy|kittens?|tortoise|chickens?"
CONDITION_REGEX = (
    r"asthma|(?:type [12] )?diabetes|migraines?|adhd|autism|epilepsy|arthritis|depression|anxiety|insomnia"
    r"|dyslexia|anaemia|anemia|hay fever|celiac|coeliac|high blood pressure|tinnitus|eczema"
    r"|[\w-]+ (?:disease|syndrome|disorder|allergy|intolerance)"
)
OWNED_REGEX = (
    rf"{RELATIVE_REGEX}|sons|daughters|brothers|sisters|boys|girls|{PET_REGEX}|car|bike|boat|house|flat"
    r"|garden"
    r"|allergy|motorbike|piano|employees|company|business|shop|bakery|farm|studio"
)
#: A capital letter, also where the rest is read without regard to case.
CAPITAL_REGEX = r"(?-i:[A-Z])\w*"


def compile_own(*patterns: str) -> re.Pattern[str]:
    """Return a pattern of what follows a person's naming themselves at the beginning of a sentence."""
    return re.compile(rf"{ME_REGEX} (?:{'|'.join(patterns)})(?!\w)", re.IGNORECASE)


#: How somebody is, and what they may not have.
HEALTH_PATTERN = compile_own(
    r"(?:not |no longer )?(?:(?:severely |mildly |very |highly )?allergic|(?:[\w-]+ )?intolerant|diabetic"
    r"|pregnant|expecting"
    r"|vegan|vegetarian"
    r"|pescatarian|colou?r-?blind|left-handed|deaf|blind|dyslexic|autistic|diagnosed)",
    r"been (?:vegan|vegetarian|living|working|married|diagnosed|playing|learning|using"
    r"|on an? [\w-]+ diet|sober|together)",
    r"(?:on an? [\w-]+ diet|take \S+ (?:for|every|daily|twice|once)|taking \S+ for|broke my|tore my"
    r"|had (?:surgery|an? (?:heart attack|stroke|operation|accident|concussion|transplant|miscarriage))"
    r"|wear (?:an?|glasses|contacts?|braces|dentures|hearing)|take \d[\d.,]* ?(?:mg|mcg|g|ml|units?|drops"
    r"|pills?)"
    r"|use a wheelchair|suffer from|keep (?:kosher|halal))",
    rf"(?:have|had|got)(?: an?)?(?: mild| severe| chronic)? (?:{CONDITION_REGEX})",
    r"(?:can't|cannot|can not|mustn't|may not|must not|shouldn't) (?:have|eat|drink|take|tolerate|touch"
    r"|lift|fly|drive|swim|hear|walk)"
    r"(?! (?:to|it|this|that)\b)",
    r"\d[\d.,]* ?(?:m|cm|metres|meters|feet|foot) (?:tall|high)|weigh \d+",
)
OWN_FACT_PATTERNS = (
    compile_own(
        r"(?:live|living|lived|reside) (?:in|at|near|with|on|alone|by|next|close|together|abroad|outside"
        r"|above|just)",
        r"based (?:in|at|near)|(?:moved|moving|relocated)(?: back| house| over)? (?:to|from|in"
        rf"|into) (?:{CAPITAL_REGEX}"
        r"|an? [\w-]+|the (?:city|country|coast|suburbs|village|sea|north|south|east|west|mountains))",
        r"(?:grew up|grown up|born|was born|were born|raised)",
        rf"(?:come )?from {CAPITAL_REGEX}|(?:share|rent|own|bought|sold|inherited|renovated) (?:an?|the|our"
        r"|my|two) [\w-]+",
    ),
    compile_own(
        r"work(?:ing|ed)? (?:as|at|for|in|with|from|night|nights|part|full|remotely|shifts|weekends)"
        r"|employed|self-employed",
        rf"unemployed|retired|laid off|between jobs|freelanc\w+|joined {CAPITAL_REGEX}|left {CAPITAL_REGEX}"
        r"|quit \w+",
        r"started (?:(?:a|my|an|our) (?:new )?(?:job|course|degree|business|company|diet|family|role"
        r"|position|phd)|at"
        r"|working|as|learning|playing)",
        r"(?:run|manage|lead|own|founded|started) (?:an?|the|my|our) [\w-]+(?: [\w-]+)? (?:company|business"
        r"|shop|bakery|team|startup"
        r"|restaurant|farm|agency|studio|practice|store|school|caf[eé]|with|of|in|at)",
        r"run an? (?:small |little )?[\w-]+|stud(?:y|ied|ying)(?! (?:the|this) (?:code|problem|file|text))"
        r"|teach|graduated|majored"
        r"|trained as|volunteer|commute|earn|coach|promoted",
        r"(?:been )?(?:an?|the) (?!(?:bit|little|lot|few|huge|big|beginner|moment|while|same|one|only|group"
        r"|total|complete|fan)\b)[\w-]+",
    ),
    HEALTH_PATTERN,
    compile_own(
        r"(?:have |got |have got )?(?:an?|two|three|four|five|six|no|twin"
        rf"|\d+) (?:[\w-]+ ){{0,2}}(?:{OWNED_REGEX})",
        r"(?:married|single|divorced|engaged|widowed|getting married)",
        rf"(?:going|flying|travel(?:l)?ing|moving) to {CAPITAL_REGEX}|visiting {CAPITAL_REGEX}"
        r"|spending (?:the|my|our|\w+ weeks?)",
    ),
    compile_own(
        rf"speak (?:{CAPITAL_REGEX}|a little|some|fluent)|play (?:the |in |for )?(?!with|around|it\b)\w+"
        r"|learning \w+|collect \w+"
        r"|drive (?!the (?:test|code))\w+|smoke|(?:don't|do not) (?:smoke|drive|drink|own"
        r"|have (?:an? |any )?(?:[\w-]+ )?(?:licen[cs]e|car|kids|children|pets?|siblings?|garden|oven|tv"
        r"|partner))",
        rf"stopped \w+ing|gave up (?!after|on|trying)\w+|no longer|turn(?:ed)? \d+|\d{{1,2}}(?= years old"
        r"|[.!]?$)|wake up|get up (?:at|around|before|by) \w+|training for (?:an?|the|my)"
        rf"|go to (?:bed|the gym|school)|called {CAPITAL_REGEX}|go by {CAPITAL_REGEX}|identify as|believe in"
        r"|(?:upgraded|switched) (?:my|our|to|from)|bought (?:an?|my|our)|sold (?:my|our)|own",
    ),
)
ENDED_HABIT_REGEX = (
    r"(?:like|love|enjoy|eat|drink|watch|play|work|live|use|listen to|wear|read|smoke|drive|go to|stand|run"
    r"|have|tolerate|date|support|want to be)"
)
#: What was otherwise in somebody's life before.
LIFE_CHANGE_PATTERN = compile_own(
    r"used to (?!think|have to|work fine|be able|it\b|this\b)[a-z]+ (?!it\b|this\b|that\b)\w+",
    r"(?:can't|cannot|don't|do not|won't|couldn't) (?:really )?"
    r"(?!(?:know|understand|think|see|get|remember|need|find|care|feel|believe)\b)[a-z]+ .{2,60}?"
    r" any ?(?:more|longer)",
    r"not (?!(?:sure|certain|able|getting|seeing)\b)[a-z]+ .{2,60}? any ?(?:more|longer)",
    r"(?:got|gotten|getting|become|became) (?:engaged|married|divorced|separated|promoted|pregnant|vegan"
    r"|vegetarian)",
    rf"(?:start(?:ed|ing)|joined|left)(?: work(?:ing)?)? (?:at|with|for) {CAPITAL_REGEX}",
    r"(?:started|begun|begin|stopped|quit) (?:eating|drinking|wearing|smoking|taking|using|doing|going to"
    r"|dating) (?!it\b|this\b|that\b)\w+",
    r"(?:switch(?:ed|ing)|convert(?:ed|ing)) (?:over )?(?:to|from) (?!(?:the|this|that|a|an|another) )\w+",
    rf"moved from {CAPITAL_REGEX}.{{0,30}}? to \w+|cancell?ed (?:my|our|{CAPITAL_REGEX})|gone off \w+",
    r"(?:like|take|drink|prefer|eat) my [a-z]+ (?!and\b|but\b|because\b|so\b)\w+",
    r"use (?:an? )?(?-i:i?[A-Z])[\w+#.-]*(?: (?-i:[A-Z])[\w+#.-]*)?(?:[.!]?$| (?:as (?:my|our)|at (?:home"
    r"|work)"
    r"|for (?:my|our|all|[a-z]+[.!]?$)|every day|daily))",
    r"use (?!(?:it|this|that|the|them|these|those)\b)[\w+#.-]+(?: [\w+#.-]+)? as (?:my|our)",
)
CLAUSE_END_PATTERN = re.compile(r"[,;]| but ")
PREFERENCE_VERB_PATTERN = re.compile(
    r"\b(?:love|like|enjoy|hate|avoid|prefer|stand|watch|eat|drink|listen|my [a-z]+)\b", re.IGNORECASE
)
#: What somebody does again and again, or has done for long.
HABIT_PATTERN = re.compile(
    r"^(?:i|we) (?:read|watch|eat|drink|wear|cook|buy|play|listen to) (?:mostly|mainly|exclusively) \w|"
    r"^(?:i|we) (?:mostly|usually|often|normally|typically|rarely|hardly ever|tend to) [a-z]+\b|"
    rf"^(?:{ME_REGEX}|i|we) (?!(?:get|got|see|saw|try|tried|run the|receive|use the)\b)[a-z]+\b.*"
    r"\b(?:every (?:day|week|month|year|morning|evening|night|summer|winter|"
    rf"{WEEKDAY_REGEX})|on (?:{WEEKDAY_REGEX})s|(?:once|twice|\w+ times) a (?:day|week|month|year)"
    r"|for (?:\w+ )?(?:years|decades)"
    r"|since (?:\d{4}|i was|my|january|february|march|april|may|june|july|august|september|october|november"
    r"|december))\b",
    re.IGNORECASE,
)
#: Verbs that say what a person does at the moment, thinks or has just done: what they do for long has others.
PASSING_VERB_REGEX = (
    r"am|was|were|be|keep|kept|believe|think|thought|need|want|tried|try|get|got|see|saw|set|put|add|read"
    r"|use|do|did|don't|didn't"
    r"|make|made|go|went|come|came|say|said|tell|told|ask|wonder|hope|wish|feel|felt|look|mean|meant|guess"
    r"|know|knew|understand|see"
    r"|remember|forget|forgot|assume|suppose|agree|disagree|doubt|care|write|wrote|type|open|press|copy"
    r"|paste|install|import|define"
    r"|declare|create|build|would|could|should|can|can't|cannot|will|won't|may|might|must|shall|have|haven't"
    r"|had|has|just|only|find"
    r"|found|give|gave|call|run|ran|start|stop|send|sent|left|leave|notice|receive|expect|plan|intend"
    r"|promise|apologi[sz]e|appreciate"
    r"|thank|like|love|hate|prefer|enjoy|move|change|click|pass|passed|return|end|wait|win|won|lost|lose|met"
    r"|heard|hear|bet|quit"
    r"|never|always|then|first|also|really|still|now|even|too|actually|simply|mostly|usually|take|took|show"
    r"|follow|suggest|propose"
)
#: What anybody does who says so in the present, and what anybody is; nothing of the matter that is worked on.
PRESENT_PATTERN = re.compile(
    rf"^(?:i (?!(?:{PASSING_VERB_REGEX})\b)[a-z]{{2,}}(?<!ed)\b|i(?:'m| am) (?:an? )?(?!not\b|become\b"
    rf"|[a-z]+ing\b|in\b|on\b|at\b)[a-z-]{{3,}}\b)"
    r"(?: \S+){2,}",
    re.IGNORECASE,
)
WORKED_ON_CUES = compile_cues(
    r"code|functions?|files?|loops?|endpoints?|scripts?|variables?|lists?|arrays?|tables?|quer(?:y|ies)|data"
    r"|errors?|tests?|steps?"
    r"|lines?|pages?|texts?|this|that|it|here|your|you|answers?|examples?|buttons?|commands?|outputs?"
    r"|following|exercises?"
    r"|equations?|formulas?|questions?|essays?|one|earth|moments?|lost|sure|ones|who asked|friend|closer"
    r"|done|moon|novel",
)
REACTION_PATTERN = re.compile(
    r"^[A-Z][\w -]{2,40} (?:gives? me (?:an? |terrible |bad )?(?:rash|hives|headaches?|migraines?|heartburn)"
    r"|makes? me (?:ill|sick))\b"
)
PRESENCE_PATTERN = re.compile(
    rf"^(?:i|we)(?:'ll| will) be (?:in|at) {CAPITAL_REGEX}|^the best way to reach me\b", re.IGNORECASE
)
#: A clause before what somebody says of themselves.
OPENING_CLAUSE_PATTERN = re.compile(
    r"^(?:in|at|on|since|after|because|these days|nowadays|currently|so|in the end|sometimes|with|besides"
    r"|luckily|sadly)\b"
    r"(?:(?! (?:i|we|my|our)\b)[^,.:;?]){0,60}?(?: (?:i|we)\b(?:(?! (?:i|we|my"
    r"|our)\b)[^,.:;?]){1,50}?)?,? (?=(?:i|we|my|our)\b)",
    re.IGNORECASE,
)
ROLE_LEAD_PATTERN = re.compile(
    r"^(?:as an?|being an?|speaking as an?) [\w-]+(?: [\w-]+){0,4},? (?:i|we)\b", re.IGNORECASE
)
OWN_LANGUAGE_PATTERN = re.compile(
    r"^[\w ]{2,30} (?:is|isn't|is not) my (?:first|native|second|mother|real|middle|maiden|last) (?:language"
    r"|tongue|name)\b",
    re.IGNORECASE,
)
SELF_NAME_PATTERN = re.compile(
    r"^(?:I'm|I am|Im) (?!Sorry\b|OK\b|Not\b|So\b)[A-Z][\w'-]+(?: [A-Z][\w'-]+){0,2}(?:,? by the way)?[.!]*$"
)
OWN_THING_FACT_PATTERN = re.compile(
    r"^(?:my|our|both (?:of )?my|all my) (?:[\w',./-]+ ){1,7}?(?:may|must|can|can't|gets?|come|stays?|is|are"
    r"|isn't|aren't|was|were"
    r"|has|have|had|lives?|works?|runs?|turns?|turned|studies|plays?|likes?|loves?|hates?|died|moved|goes"
    r"|starts?|ends?"
    r"|expires?|speaks?|costs?|needs?|uses?|meets?|called|comes?|opens?|closes?|passed away|weighs?|owns?"
    r"|drives?)\b"
    r"|^(?:you can )?(?:reach|contact|e?-?mail|phone|call|text) me (?:at|on|under)\b",
    re.IGNORECASE,
)
FOREIGN_PASSING_REGEX = (
    r"(?!(?:ein\w* |un[ae]? |um[a]? )?(?:kleine |gran |petite )?(?:frage|problem|idee|fehler|bitte|pregunta"
    r"|problema|duda|idea|error|question"
    r"|problème|idée|erreur|domanda|dubbio|errore|pergunta|dúvida|ideia|erro)\w*)"
)
FOREIGN_FACT_PATTERN = re.compile(
    r"^(?:hallo,? |hola,? |bonjour,? |salut,? |ciao,? |olá,? )?(?:ich (?:heiße|wohne|lebe|arbeite|komme aus"
    r"|studiere"
    r"|bin (?!mir|nicht sicher|gerade|der meinung|müde|froh|am)|rauche|fahre ein\w*|spiele|lerne|besitze"
    r"|vertrage|darf kein\w*"
    rf"|habe {FOREIGN_PASSING_REGEX}(?:ein\w* |zwei |drei |\w+allergie|diabetes|asthma))"
    rf"|wir (?:wohnen|leben|haben {FOREIGN_PASSING_REGEX}(?:ein\w* |zwei |drei ))"
    r"|mein\w* [\w-]+(?: \w+)? (?:ist|heißt|wohnt|arbeitet|hat|lebt|sind|heißen)|unser\w* [\w-]+ (?:ist"
    r"|heißt|hat|sind|liegt)"
    r"|(?:yo )?(?:me llamo|vivo|vivimos|trabajo|soy (?!consciente)|nací|estudio|hablo|juego"
    r"|estoy (?:embarazada|casad[oa])"
    rf"|tengo {FOREIGN_PASSING_REGEX}(?:un|una|dos|tres|\d+|alergia|diabetes|asma)\b)"
    r"|(?:mi|mis|nuestr[oa]s?) [\w-]+(?: \w+)? (?:es|son|está|se llama|vive|trabaja|tiene)"
    r"|je (?:m'appelle|travaille|viens d|vis|parle|joue|fume|suis (?!désolé|sûr|en train|d'accord))"
    rf"|j'(?:habite|étudie|apprends|ai {FOREIGN_PASSING_REGEX}(?:un|une|deux|trois|\d+)\b)"
    r"|nous (?:habitons|avons (?:un|une|deux|trois))|(?:ma|mon|mes|notre|nos) [\w-]+(?: \w+)? (?:est"
    r"|s'appelle|habite|travaille|a|sont)\b"
    r"|(?:io )?(?:mi chiamo|abito|abitiamo|vivo|lavoro|sono (?!d'accord|sicur)|studio|parlo|suono"
    rf"|ho {FOREIGN_PASSING_REGEX}(?:un|una|due|tre|\d+)\b)"
    r"|(?:il mio|la mia|i miei|le mie|mia|mio) [\w-]+(?: \w+)? (?:è|si chiama|abita|vive|lavora|ha|sono)\b"
    r"|(?:eu )?(?:chamo-me|me chamo|moro|moramos|vivo|trabalho|sou |estudo|falo|toco"
    rf"|tenho {FOREIGN_PASSING_REGEX}(?:um|uma|dois|duas|\d+)\b)"
    r"|(?:o meu|a minha|meu|minha|meus|minhas) [\w-]+(?: \w+)? (?:é|se chama|chama-se|mora|vive|trabalha|tem"
    r"|são)\b)",
    re.IGNORECASE,
)
