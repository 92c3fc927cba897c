"""Words by which people tell what is worth knowing for long: who they are, what is owed, what must not be."""

import re
from functools import lru_cache

from tertulia.memory.cues import compile_small_cues, is_question, to_small_letters

WEEKDAY_REGEX = (
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)day|montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag"
    r"|lunes|martes|miércoles|jueves|viernes|sábado|domingo|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche"
    r"|lunedì|martedì|mercoledì|giovedì|venerdì|sabato|domenica|segunda|terça|quarta|quinta|sexta"
)
RELATIVE_REGEX = (
    r"wife|husband|partner|fianc[eé]e?|son|daughter|kids?|child(?:ren)?|baby|twins|mother|father|mum|mom|dad"
    r"|parents|brother|sister|grand\w+|aunt|uncle|niece|nephew|cousin|boss|manager|doctor|dentist|landlord"
    r"|neighbou?r|dog|cat|flatmate|roommate"
)
#: Who the person is: name, family, health, home, work.
PERSONAL_CUES = compile_small_cues(
    r"(?:my|our) (?:full |first |last )?names? (?:is|are)|i(?:'m| am) called|(?:please |just )?call me",
    r"(?:people|friends|everyone|everybody) calls? me|nickname|pronouns?",
    r"(?:allerg|intoleran|diabet|asthma|epilep|dyslexi|vegetarian|vegan|coeliac|celiac|pregnan)\w*",
    r"gluten|lactose|wheelchair|colou?r-?blind|left-handed|deaf|blood (?:type|group)|medication|halal|kosher",
    rf"(?:my|our) (?:[\w'-]+ )?(?:{RELATIVE_REGEX})(?:'s)?",
    r"(?:i|we) (?:now )?(?:live|grew up|was born|were born|come from|moved (?:in)?to|am from|are from)",
    r"i(?:'m| am) from|i work (?:at|for|as|in)|(?:i'm|i am) an? [\w-]+(?:er|or|ist|ian|nurse|teacher)",
    r"(?:my|our) (?:[\w'-]+ )?(?:birthday|anniversary|address|home|phone|mobile|e-?mail|job|employer"
    r"|nationality|passport|mother tongue|native language|time ?zone|religion|shoe size|height|weight)",
    r"ich heiße|mein name ist|nennt? mich|ich wohne|wir wohnen|ich arbeite|ich komme aus|mein geburtstag",
    r"unverträglich\w*|schwanger|vegetarier\w*|zuckerkrank",
    r"(?:meine|mein|unsere|unser) (?:frau|mann|sohn|tochter|kinder|mutter|vater|bruder|schwester|eltern"
    r"|chefin?|hund|katze|adresse|telefonnummer|wohnung)",
    r"me llamo|llámame|mi nombre|alérgic\w*|vivo en|vivimos en|trabajo (?:en|como|de)|soy de|mi cumpleaños",
    r"(?:mi|nuestr[oa]) (?:mujer|esposa|marido|hij[oa]s?|madre|padre|herman[oa]|perr[oa]|gat[oa]|jef[ea]"
    r"|dirección|teléfono|casa)",
    r"je m'appelle|appelle[zs]?-moi|j'habite|nous habitons|je travaille|je viens d[eu]|mon anniversaire",
    r"végétari\w*|(?:ma|mon|notre) (?:femme|mari|fille|fils|mère|père|sœur|frère|chien|chatte?|adresse|chef)",
    r"mi chiamo|chiamami|abit(?:o|iamo)|lavoro (?:a|come|per)"
    r"|(?:mia|mio) (?:moglie|marito|figli[oa]|madre|padre|sorella|fratello)",
    r"chamo-me|me chamo|meu nome|moro em|trabalho (?:em|como|na|no)"
    r"|(?:minha|meu) (?:esposa|mulher|marido|filh[oa]|mãe|pai|irmã|irmão)",
)
UNSPACED_PERSONAL_CUES = re.compile("过敏|過敏|アレルギー|알레르기|我叫|叫我|我住|我的名字|私の名前|제 이름")
#: What somebody promised, or has to be done by a time.
COMMITMENT_CUES = compile_small_cues(
    r"(?:i|we|he|she|they|[a-z]{2,})(?:'ll| will| shall) (?:\w+ )?(?:send|deliver|pay|phone|ring|write"
    r"|bring|finish|prepare|book|order|check|review|return|get back|fix|transfer|submit|provide|pick|ask|talk"
    r"|e?mail|arrange|organi[sz]e|update|hand|sign|print|cover|collect|forward|publish|repair|give|let|drop"
    r"|meet|cook|water|feed|host|draft|present|refund|confirm|call|share|post|buy|clean|translate|invite|file|return)",
    r"(?:i|we)(?:'ll| will) (?!see|try)|(?:i|we) (?:have|need|ought) to|gave (?:my|our|her|his|their) word",
    r"(?:said|told \w+(?: \w+)?|offered)(?: that)? (?:i|we|they|he|she)(?:'d| would| can| could| may)",
    rf"before (?:the )?(?:{WEEKDAY_REGEX}|weekend|end|\d)",
    r"(?:i|we|he|she|they)(?:'ve|'s| has| have)? promised?|promises|commit(?:ted|s)? to|agreed to|owes?|owed",
    rf"by (?:the )?(?:{WEEKDAY_REGEX}|tomorrow|tonight|noon|midnight|next \w+|end of|\d)",
    r"(?:is|are) due|due (?:on|by|date)|deadline|no later than|responsible for|takes? care of|to-?do",
    rf"bis (?:spätestens |zum |ende |nächst\w+ )?(?:{WEEKDAY_REGEX}|morgen|mittag|\d)|versproch\w*|zugesagt",
    r"fällig|frist|kümmer\w*|ich (?:werde|schicke|liefere|bezahle|melde)",
    rf"antes del? (?:{WEEKDAY_REGEX}|\d)|a más tardar|plazo|prometí|prometimos|prometido|me comprometo"
    r"|(?:enviar|entregar|llamar|pagar|mandar|traer)(?:é|emos)",
    rf"d'ici (?:à )?(?:{WEEKDAY_REGEX}|demain|\d)|avant (?:le )?(?:{WEEKDAY_REGEX}|\d)|au plus tard|échéance"
    r"|promis(?:e|es)?|m'engage|(?:enverr|livrer|appeller|paier)(?:ai|ons)",
    rf"entro (?:{WEEKDAY_REGEX}|il|domani|\d)|scadenza|promesso|promet\w+",
    rf"até (?:{WEEKDAY_REGEX}|amanhã|\d)|prazo",
)
UNSPACED_COMMITMENT_CUES = re.compile("答应|承诺|之前完成|截止|約束|までに|締め切り|약속|까지")
#: What must or must not be, and how much there may be.
CONSTRAINT_CUES = compile_small_cues(
    r"must(?:n't)?|may not|(?:not|n't) allowed|no more than|at most|at least|max(?:imum)?|min(?:imum)?|up to"
    r"|cannot exceed|capped|cap of|limit(?:ed)?|budget\w*|deadline|forbid\w*|prohibited|only allowed"
    r"|(?:has|have) to (?:be|stay|fit|work)|under no circumstances|never|without exception"
    r"|(?:go(?:es)?|belongs?|to be (?:left|sent|brought|delivered)) (?:straight |always |only )?(?:to|into)",
    r"darf|dürfen|muss|müssen|höchstens|mindestens|maximal|verboten|nicht mehr als|obergrenze|niemals",
    r"no (?:debe|puede|se puede)|debe|como (?:máximo|mínimo)|presupuesto|prohibid[oa]|nunca",
    r"ne doi(?:t|vent) pas|doi(?:t|vent)|au (?:maximum|plus|moins)|interdit\w*|jamais",
    r"non deve|deve|al massimo|almeno|vietato|no (?:máximo|mínimo)|proibido|orçamento",
)
UNSPACED_CONSTRAINT_CUES = re.compile("必须|不能|不得|最多|至少|预算|必要|してはいけ|以内|반드시|최대")
#: What is looked up again: where something is, how to get in, under which number, when it opens.
ACCESS_CUES = compile_small_cues(
    r"address|street|lane|avenue|road|square|floor|flat|apartment|gate|door|entrance|locker|shelf|drawer"
    r"|codes?|codename|passwords?|passphrase|pin|combination|keys?|phone|telephone|e-?mail|contact|accounts?"
    r"|iban|serial|invoice|booking|reservation|reference|seat|plate|policy number|order number|ticket"
    r"|version|ports?|host(?:name)?|url|server|bucket|repository|branch|wifi|network|tenant|endpoint",
    r"adresse|straße|schlüssel|passwort|kennwort|konto|rechnung|calle|llave|contraseña|clave|cuenta|factura",
    r"rue|clé|mot de passe|compte|facture",
)
REFERENCE_CUES = compile_small_cues(
    r"(?:is|are|was) (?:called|named|known as|kept|stored|hidden|parked|located|at|in|on|under|behind|with)",
    r"opens?|closes?|leaves?|departs?|arrives?|starts?|begins?|ends?|expires?|meets?|runs?",
    r"sizes?|measures|weighs|capacity|rent|fee|price|rate|salary|costs?|dose|recipe|ratio",
    r"platz|stock(?:werk)?|nummer|heißt|liegt|steht|plaza|piso|número|se llama|queda|abre|cierra",
    r"étage|numéro|s'appelle|se trouve|ouvre|ferme",
    rf"(?:{WEEKDAY_REGEX})s?",
)
UNSPACED_REFERENCE_CUES = re.compile("地址|密码|号码|电话|住所|番号|暗証|주소|비밀번호")
#: How a sentence begins that wants something done now.
REQUEST_PATTERN = re.compile(
    r"(?:please |can you |could you |now |then |ok,? |and )*(?:write|give|make|explain|tell|show|list|help"
    r"|fix|add|translate|summari[sz]e|suggest|describe|compare|check|find|create|draft|rewrite|improve|continue"
    r"|try|let me|let's (?:plan|talk|start|begin|see|discuss|look)|thanks?|thank you"
    r"|i (?:wonder|want to know|was wondering|need help)"
    r"|schreib\w*|gib|erklär\w*|zeig\w*|escribe|dame|explica\w*|écris|donne|explique\w*|montre)\b"
)
#: What was so at a moment and is of no use later.
PASSING_CUES = compile_small_cues(
    r"today|yesterday|this (?:morning|afternoon|evening|week)|tonight|last (?:night|week)|just now|right now"
    r"|a (?:moment|minute|while|few \w+) ago|so far|took (?:me|us|about|around)?",
    r"heute|gestern|gerade|vorhin|hoy|ayer|esta (?:mañana|tarde)|aujourd'hui|hier|ce matin",
    r"oggi|ieri|hoje|ontem",
)


def is_personal(text: str) -> bool:
    """Tell whether a person says who they are, with whom and how they live, or what they must not eat."""
    return _says(text, PERSONAL_CUES, UNSPACED_PERSONAL_CUES)


def is_commitment(text: str) -> bool:
    """Tell whether a sentence says what somebody will do, or by when something has to be done."""
    return _says(text, COMMITMENT_CUES, UNSPACED_COMMITMENT_CUES)


def is_constraint(text: str) -> bool:
    """Tell whether a sentence says what must or must not be, or how much at most."""
    return _says(text, CONSTRAINT_CUES, UNSPACED_CONSTRAINT_CUES)


def count_references(text: str) -> int:
    """Return how often a sentence says where something is or how it is reached: what is looked up again."""
    plain = to_small_letters(text)
    if is_question(plain):
        return 0
    cues = (ACCESS_CUES, REFERENCE_CUES, UNSPACED_REFERENCE_CUES)
    return sum(len(pattern.findall(plain)) for pattern in cues)


@lru_cache(8_192)
def names_access(text: str) -> bool:
    """Tell whether a sentence says under which address, code or number something is reached."""
    return ACCESS_CUES.search(text.lower()) is not None


def is_request(text: str) -> bool:
    """Tell whether a sentence only asks for something to be done now."""
    return REQUEST_PATTERN.match(text.lower()) is not None


def is_passing(text: str) -> bool:
    """Tell whether a sentence is about a moment that is over soon."""
    return PASSING_CUES.search(text.lower()) is not None


def _says(text: str, spaced: re.Pattern[str], unspaced: re.Pattern[str]) -> bool:
    plain = to_small_letters(text)
    return not is_question(plain) and bool(spaced.search(plain) or unspaced.search(plain))
