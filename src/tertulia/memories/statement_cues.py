"""Words by which people state what lasts: who they are, what they want, what was decided."""

import re

from tertulia.memories.claim_cues import MONTH_REGEX
from tertulia.memories.fact_cues import CAPITAL_REGEX, ME_REGEX
from tertulia.memory.cues import compile_cues
from tertulia.memory.worth_cues import WEEKDAY_REGEX

PROJECT_NOUN_REGEX = (
    r"project|repo(?:sitory)?|launch|release|deadline|budget|server|staging(?: \w+)?|production|code ?base"
    r"|back-?end|front-?end"
    r"|database|api|team|stand-?up|sprint|stack|pipeline|ci|branch|domain|website|site|product|roadmap"
    r"|milestone|app|service"
    r"|documentation|docs|wiki|tracker|board|client|office|kick-?off|demo|sync|retro(?:spective)?|beta|mvp"
    r"|version|cluster"
    r"|monorepo|thesis|dissertation|company|startup|start-?up|shop|store|newsletter|conference|workshop"
    r"|contract|grant(?: \w+)?"
)
WORK_ROLE_REGEX = (
    r"accountant|lawyer|boss|manager|ceo|cto|cfo|coo|head|lead|director|designer|developer|engineer"
    r"|colleague|client|customer"
    r"|supplier|vendor|partner|investor|contractor|consultant|assistant|secretary|intern|founder|co-?founder"
    r"|owner|contact"
    r"|product manager|project manager|administrator|admin|treasurer|tax adviser|advisor|adviser|supervisor"
    r"|professor"
    r"|landlord|landlady|dentist|doctor|therapist|teacher|vet|competitor|agency|bank|insurer|provider"
    r"|employer|coach"
)
#: What may stand before a statement, and is no part of it.
STATEMENT_LEAD_PATTERN = re.compile(
    r"(?:(?:please |also |and |but |so |ok,? |well,? |hi,? |hello,? |hey,? |oh,? )*(?:remember(?: that|:|,)?"
    r"|note(?: that|:)"
    r"|for the record[,:]?|keep in mind that|don't forget that|fyi[,:]?|just so you know[,:]?|by the way,?"
    r"|btw,?"
    r"|for context[,:]|(?:it )?turns out(?: that)?|update:|correction:|reminder:|change of plans?:"
    r"|merk dir(?:,? dass)?|denk daran,? dass"
    r"|recuerda que|retiens que|ricorda che|lembra que))\s+",
    re.IGNORECASE,
)
REMINDER_LEAD_PATTERN = re.compile(
    r"(?:please )?(?:remember|note|keep in mind|don't forget|for the record|merk dir|recuerda|retiens"
    r"|ricorda|lembra)",
    re.IGNORECASE,
)
#: Sentences that are no statement, or not of the person, or only of the moment.
REFUSED_CUES = compile_cues(
    r"case study|scenario|exercise",
    r"if|unless|whether|would(?! (?:much |really )?prefer)|could|might|maybe|perhaps|wish|i'd(?! (?:much "
    r"|really )?prefer| rather)"
    r"|wenn|falls|wäre|würde|si (?:yo )?(?:fuera|tuviera|viviera)|como si|serait|j'aimerais|sarei|vorrei"
    r"|seria|gostaria",
    r"(?<!as i )(?:says?|said|saying|told|tells?|claims?|claimed|wrote|writes|thinks?|asks|asked|replied"
    r"|according to|quote\w*)"
    r"|sagt\w*|schrieb|meint\w*|laut|dice|dijo|según|dit que|a dit|selon|ha detto|secondo|disse|segundo",
    r"error|bug|exception|typeerror|traceback|stack trace|undefined|segfault",
)
MOMENTARY_PATTERN = re.compile(
    r"(?:i|we)(?:'m| am|'re| are|'ve been| have been| was| were)(?: (?:just|still|really|so|very|a bit|quite"
    r"|not|also))*"
    r" (?:trying|looking|wondering|getting|having|thinking|waiting|hungry|tired|sure|sorry|curious"
    r"|afraid that|confused"
    r"|stuck|happy to|glad|bored|busy|back|here|ready|done|late|writing|reading|asking|talking|aware"
    r"|interested to|lost"
    r"|unsure|certain|able|about to|in the middle|on my way|good|fine|ok(?:ay)?|excited|surprised|worried"
    r"|cold|ill)\b"
    r"|i (?:think|guess|mean|see|know|understand|get(?! up\b)|got|need|want|wonder|hope|feel|believe|suppose"
    r"|assume|doubt|agree"
    r"|tried|just|don't (?:understand|know|think|get|see|want|need|believe)|do not|can't (?:see|find|figure"
    r"|get|believe)"
    r"|had|have (?:tried|seen|read|to|no idea|an? (?:\w+ )?(?:question|idea|bug|problem|issue|list|file"
    r"|function|table|text"
    r"|dataset|feeling|meeting|headache|string|class|script|error|look|task|doubt|request|suggestion|plan"
    r"|point|test))"
    r"|have (?:some|several|a few|many)|ran|run (?:the|this|it)|used the|am not sure)\b",
    re.IGNORECASE,
)
PASSING_TIME_CUES = compile_cues(
    r"today|yesterday|this (?:morning|afternoon|evening)|tonight|last night|right now|at the moment"
    r"|a (?:moment|minute) ago"
    r"|heute|gestern|gerade|hoy|ayer|aujourd'hui|hier soir|oggi|ieri|hoje|ontem",
)
#: Things of the moment that people call theirs.
WORKPIECE_PATTERN = re.compile(
    r"(?:my|our) (?:[\w-]+ ){0,2}?(?:code|question|problem|function|sentence|text|essay|query|request|point"
    r"|mistake|idea"
    r"|opinion|guess|bad|thought|apologies|pleasure|turn|concern|teacher wants|assignment|goal here|test"
    r"|tests|output|input|script|program|story|issue|homework|task|answer|first|last|next"
    r"|result|results"
    r"|loop|class|method|poem|draft|prompt|message|screen|file|sister says)\b",
    re.IGNORECASE,
)
DECISION_STATEMENT_PATTERN = re.compile(
    r"(?:^|, |\b)(?:(?:we|i)(?:'ve| have)?(?: \w+ly| just| now| all)* (?:decided|agreed|settled|chose|chosen"
    r"|opted|picked|went (?:with|for))"
    r"|(?:we|i)(?:'re| are|'m| am) going with|(?:we|i)(?:'ll| will) (?:use|go with|stick with|stay with"
    r"|switch to)"
    r"|(?:we|i)(?:'ve| have)? (?:ended up (?:choosing|going with|with|picking)|made up (?:my|our) minds?)"
    r"|(?:the|our) (?:team|board|committee|company|family|group) (?:has )?(?:decided|voted|agreed|approved"
    r"|chose)"
    r"|^(?:decided|decision|agreed):|i decide (?:for|to|against)|(?:we|i)(?:'re| are|'m| am) (?:keeping"
    r"|calling|naming"
    r"|taking|dropping|hiring|choosing)"
    r"|(?:our|my|the|final) (?:final )?decision (?:is|was)|it (?:was|is) (?:decided|agreed) (?:that"
    r"|to))(?!\w)"
    r"|\bwir haben (?:uns )?(?:[\w-]+ ){0,8}(?:entschieden|beschlossen|vereinbart)|\b(?:hemos (?:decidido"
    r"|acordado)|decidimos"
    r"|acordamos|nous avons (?:décidé|choisi|convenu)|on a décidé|j'ai décidé|abbiamo (?:deciso|scelto)"
    r"|ficou decidido)\b",
    re.IGNORECASE,
)
#: How answers are wanted, for good.
STYLE_VERB_REGEX = (
    r"(?:answer|reply|respond|write|use|using|keep|give|speak|talk|format|spell|address|call|quote|cite"
    r"|include|show|make|be|explain"
    r"|refer|put|add|skip|end|start|limit|avoid|mention|ask|suggest|translate|send|assume|round|name|sign"
    r"|begin|omit|leave|target)"
)
STYLE_PATTERN = re.compile(
    r"^(?:please |and |also |from now on,? |going forward,? |in (?:the )?future,? "
    r"|for (?:all |any )?future [a-z]+,? |i (?:want|need|would like) you to "
    r"|when(?:ever)? [^,]{3,40}, |in (?:all )?your"
    rf" (?:answers|replies|responses),? )*(?:stop [a-z]+ing|(?:(?:always|never|don't|do not|stop"
    rf"|only) )?{STYLE_VERB_REGEX})\b",
    re.IGNORECASE,
)
#: Whatever else is asked for with a please counts where it is clear that it is for good.
ASKED_STYLE_PATTERN = re.compile(
    r"^please (?:don't|do not|never|always) .*\b(?:to me|with me|when you|your (?:answers|replies"
    r"|responses))\b",
    re.IGNORECASE,
)
LASTING_CUES = compile_cues(
    r"always|never|from now on|(?:all|any) future|in (?:the )?future|every time|each time|whenever"
    r"|by default|in general"
    r"|generally"
    r"|(?:all |any )?(?:of )?your (?:answers?|replies|responses|reply|answer)|answers (?:short|brief|concise"
    r"|long|detailed|to me)"
    r"|your explanations|any ?(?:more|longer)|to me|with me|for me|stop [a-z]+ing|when you|summaries"
    r"|going forward|ever(?! since)|for all|permanently"
    r"|unless i say",
)
CALL_ME_PATTERN = re.compile(rf"(?:please |just |you can |but |and )*call me {CAPITAL_REGEX}", re.IGNORECASE)
FOREIGN_STYLE_PATTERN = re.compile(
    r"^(?:bitte |ab jetzt |por favor,? |s'il te plaît,? |per favore,? )*(?:antworte\w*|schreib\w*|nenn\w*"
    r"|duz\w*|responde\w*|escribe|llámame"
    r"|usa|réponds?|répondez|écris|appelle-moi|utilise|tutoie-moi|rispondi|scrivi|chiamami|responda|escreve"
    r"|chama-me)\b.*"
    r"\b(?:immer|nie|ab jetzt|künftig|mich|siempre|nunca|a partir de ahora|me|toujours|jamais|désormais|moi"
    r"|sempre|mai|d'ora in poi)\b"
    r"|^(?:immer|nie(?:mals)?|siempre|nunca|toujours|jamais|sempre) ",
    re.IGNORECASE,
)
LIKING_PATTERN = re.compile(
    rf"^{ME_REGEX} (?:(?:absolutely|much|strongly|do|usually|generally|come to|grown to|learned to"
    rf"|learnt to) )*(?:love|like|enjoy|hate|dislike"
    r"|adore|detest|loathe|prefer|can't stand"
    r"|cannot stand|don't (?:like|enjoy|eat|drink|care for|watch|wear)|do not (?:like|eat|drink)"
    r"|never (?:eat|drink|fly|wear|drive|watch|use|work)"
    r"|always (?:book|order|buy|fly|travel|take|use|work|wear|sit|drink|eat)|a (?:big |huge )?fan of"
    r"|not (?:really )?a fan of|not (?:really |that )?into|into"
    r"|would (?:much |really )?prefer|'d (?:much |really )?prefer|fond of|switched (?:from|to)"
    r"|no longer (?:like|use|enjoy))\b"
    r"(?! (?:this|that|it|them|these|those|your|the (?:idea|answer|first|second|last|way|other)|how|what"
    r"|when you|you|option|version|to ask|to say|to admit)\b)"
    r"|^i'd (?:much |really )?prefer\b|^i'd rather (?:have you|you|be (?:called|contacted|addressed"
    r"|reached|e-?mailed|texted))\b|^whenever i [a-z]+,? i\b"
    r"|^.{2,40} (?:is|are) my (?:absolute |all-time )?favou?rite\b|^(?:my"
    rf"|our) (?:[\w-]+ ){{0,2}}(?:favou?rite|preference"
    r"|preferred)\b.* (?:is|are|would be|was)\b"
    r"|^(?:ich (?:mag|liebe|hasse|bevorzuge|esse|trinke) |mein(?:e)? liebling\w+ .*\bist\b"
    r"|(?:a mí )?(?:no )?me (?:gusta|encanta)|prefiero|odio"
    r"|j'(?:aime|adore)|je (?:préfère|déteste)|je n'aime|je ne (?:mange|bois)|(?:non )?mi (?:piace"
    r"|piacciono)|preferisco|prefiro"
    r"|(?:não )?gosto de|adoro|mi \w+ favorit[oa]|mon \w+ préféré|meu \w+ favorito)",
    re.IGNORECASE,
)
PROJECT_PATTERN = re.compile(
    rf"^(?:our|my|the) (?:[\w'-]+ ){{0,4}}(?:{PROJECT_NOUN_REGEX})\b.{{0,60}}? (?:is|are|was|will be|lives?"
    r"|runs?|uses?|has|have"
    r"|starts?|ends?|launches|ships|slipped|moved|meets?|costs?|listens|needs|deploys|supports|takes place"
    r"|closes|opens"
    r"|called|goes (?:out|live))\b"
    r"|^we (?:(?:now|also|currently|mostly|still) )*(?:use|deploy|host|ship|release|build|run|write|store"
    r"|develop|launch|test"
    r"|track|migrated|switched|replaced|meet)\b(?! the (?:variable|function|loop|same))"
    r"|^(?:i'm|we're|i am|we are) (?:building|developing|creating|launching|writing|designing) (?:an?|our"
    r"|the) .*\bcalled\b"
    r"|^(?:production|staging|sprint planning|ci|code review|onboarding|support|payroll|hosting) (?:is|runs"
    r"|lives|happens|takes)\b",
    re.IGNORECASE,
)
NAME_REGEX = r"(?:(?:Dr|Mr|Mrs|Ms|Prof)\.? )?[A-Z][\w'.-]+(?: (?:[A-Z][\w'.-]+|de|van|von|der|&)){0,4}"
ENTITY_PATTERN = re.compile(
    rf"^{NAME_REGEX} (?:is|are|was|has been) (?:now )?(?:(?:our|my) (?!(?:first|native|second|mother"
    r"|favou?rite)\b)"
    rf"|(?:the|a|an) (?:[\w-]+ ){{1,4}}(?:of|on|at|in|for) (?:our|my|ours|mine)\b"
    rf"|the (?:{WORK_ROLE_REGEX})\b)"
    rf"|^{NAME_REGEX} (?:works|lives|reports|joined|leads|runs|manages|owns|handles|does|bought|sold|founded"
    r"|teaches|looks after"
    r"|takes care of|cleans|designed|built|supplies|delivers|sponsors|hosts|maintains|audits"
    r"|represents) .*\b(?:my|our|us|me)\b"
    rf"|^{NAME_REGEX}, (?:our|my) [\w' -]{{2,40}}, "
    rf"|^{NAME_REGEX} (?:ist (?:mein|unser)e?|es (?:mi|nuestr[oa])|est (?:mon|ma|notre)|è (?:il mio|la mia"
    r"|mi[oa])"
    r"|é (?:o meu|a minha|meu|minha)) "
)
WORK_PERSON_PATTERN = re.compile(
    rf"^(?i:my|our) (?:new |former |old |main )?(?:{WORK_ROLE_REGEX})(?:'s name)?(?: (?:at|in|for"
    rf"|from) [\w ]{{2,30}}?)?"
    r" (?:is|are) (?:called |named )?[A-Z]"
    r"|^(?i:my|our) (?:best |old |good |new )?(?:friend|colleague|neighbou?r|cousin|flatmate|roommate"
    r"|teammate) [A-Z]"
)
FIGURE_OR_NAME_PATTERN = re.compile(
    rf"\d|(?<=[\w,] )[A-Z]\w|\b\w+[./_]\w|\b(?:{WEEKDAY_REGEX})\b|\b(?:{MONTH_REGEX})\b|\bcalled\b"
    r"|\bwritten in\b"
)
#: How things are that somebody tells of without a question: what they are called, where, when and how much.
THING_FACT_PATTERN = re.compile(
    r"^(?:The|All|Only|Every|No|[A-Z][\w'-]+(?: [A-Z][\w'-]+)?'s?) (?!(?:[\w-]+ )?(?:code|function|answer"
    r"|file|line|test|loop|method|class|query|error|result|output"
    r"|input|equation|sum|problem|question|article|book|film|movie|novel|paper|chapter|page|image|picture"
    r"|table|column|graph|example|sky|earth|sun|moon|world"
    r"|universe|human|brain|war|battle|author|word|sentence|paragraph|story|theory|theorem|variable|string"
    r"|array|algorithm|program|script|loop|compiler)s?\b)"
    r"[^.!?]{2,100}? (?:is|are|has|have|will be|must|may not|can only|costs?|weighs?|opens?|closes?|runs?"
    r"|goes|go|wants?|needs?|fits?|carries|leaves?|starts?|ends?"
    r"|gets?|lives?|works?|speaks?|stays?|becomes?|sells?|happens?|moves?|fl(?:y|ies))\b"
)
#: What people who run something say of it.
OWN_PRACTICE_PATTERN = re.compile(
    r"^we (?:(?:still|always|now|also|usually|only) )*(?:have(?! to)|owe|close|open|pay|may|must|own|rent"
    r"|serve"
    r"|sell|keep|hire|employ|offer|bill|invoice|ship|bake|teach|import|export)\b",
    re.IGNORECASE,
)
