"""Categories of statements: one word that says what part of life they are about."""

from tertulia.memories.fact_cues import CONDITION_REGEX, PET_REGEX
from tertulia.memory.cues import compile_cues
from tertulia.memory.worth_cues import RELATIVE_REGEX

CATEGORY_OTHER = "other"
CATEGORY_STYLE = "style"
#: The first that is found counts.
CATEGORY_CUES = (
    (
        "contact",
        compile_cues(
            r"e-?mail(?: address)?|(?:phone|mobile) number|telephone|telefonnummer|teléfono|reach me"
            r"|contact me|[\w.+-]+@[\w.-]+"
        ),
    ),
    (
        "health",
        compile_cues(
            r"allerg\w*|alérgic\w*|intoleran\w*|unverträglich\w*|diabet\w*|asthma\w*|pregnan\w*|schwanger"
            r"|embarazada|enceinte|dyslexi\w*|colou?r-?blind|deaf"
            r"|diagnosed|surgery|hearing aid|wheelchair|gluten|blood (?:pressure|type)|medication|doctor"
            r"|dentist|therapist|smok\w+|rauche|fume|fumo"
            r"|knee|shoulder|back pain|hurting|injur\w+|caffeine|broke my|glasses|vaccin\w+|suffer|mg"
            rf"|{CONDITION_REGEX}"
        ),
    ),
    (
        "food",
        compile_cues(
            r"eat|drink|food|diet|kosher|halal|sweets?|snacks?|dessert|vegan\w*|vegetari\w*|pescatarian"
            r"|coffee|tea|wine|beer|pork|beef|meat|fish"
            r"|olives?|cheese|spicy|sushi|pizza|coriander|cilantro"
            r"|mushrooms?|cook\w*|restaurants?|dish|breakfast|dinner|kaffee|tee|essen|trinke|esse|comida"
            r"|café|queso|fromage|vin|thé|olive|formaggio|vino|comer|queijo"
        ),
    ),
    (
        "dates",
        compile_cues(
            r"birthday|anniversary|deadline|sprint planning|exam|appointment|launch|release|due|geburtstag"
            r"|cumpleaños"
            r"|anniversaire|compleanno|aniversário"
            r"|stand-?up|kick-?off|wedding|meeting"
        ),
    ),
    (
        "travel",
        compile_cues(
            r"fly|flying|flights?|travel\w*|trip|holiday|vacation|aisle seats?|window seats?|hotels?"
            r"|going to [a-z]+ (?:in|on)|spending the|hostels?|visiting|urlaub|reise|viaje|voyage|viaggio"
            r"|viagem"
        ),
    ),
    (
        CATEGORY_STYLE,
        compile_cues(
            r"answers?|repl(?:y|ies)|respon[ds]\w*|emojis?|bullet points?|spelling|tone|call me|units"
            r"|type hints|antworte\w*|respuestas?|responde|réponds?|rispondi|rispost\w*"
            r"|british english|american english|duz\w*|tutoie"
        ),
    ),
    (
        "work",
        compile_cues(
            r"engineer|teacher|nurse|between jobs|laid off|graduated|degree|university|profess\w+|supervisor"
            r"|payroll|(?:contact|account) at|boss|(?:product |project )?manager|colleague|accountant|lawyer"
            r"|customer|client|supplier"
        ),
    ),
    (
        "family",
        compile_cues(
            rf"{RELATIVE_REGEX}|friend|sons|daughters|brothers|sisters|boys|girls|{PET_REGEX}|married"
            r"|divorced"
            r"|engaged|frau|mann|sohn|tochter|kinder|mutter|vater|bruder|schwester"
            r"|eltern|mujer|esposa|marido|hij[oa]s?|madre|padre|herman[oa]|femme|mari|fille|fils|mère|père"
            r"|sœur|frère|moglie|figli[oa]|sorella|fratello|filh[oa]|mãe|pai|irm[ãa]o?"
        ),
    ),
    (
        "tools",
        compile_cues(
            r"kubernetes|kafka|jenkins|monorepo|written in|svelte|upgraded my phone|code|production|editor"
            r"|vim|emacs|ide|postgresql|mysql|sqlite|redis|python|rust|react|docker|git\w*"
            r"|repo(?:sitory)?|server|database|back-?end|front-?end|code ?base|api|deploy\w*|linux"
            r"|terraform|pulumi|typescript|javascript|elixir|java|browser|firefox|framework|stack|pipeline"
            r"|ci|software|app|branch|laptop|keyboard|cluster|we use|hosting|cloud"
        ),
    ),
    (
        "work",
        compile_cues(
            r"work\w*|job|boss|manager|company|employ\w+|student|study\w*|colleague|accountant|lawyer"
            r"|customer|client|supplier|cto|ceo|team|engineer|nurse|teacher|designer|developer"
            r"|bakery|startup|office|arbeite|chef(?:in)?|beruf|trabajo|trabajamos|jef[ea]|travaille|patron"
            r"|lavoro|trabalho|head of|lab|professor|retired|i(?:'m| am) an? [\w-]+(?:er|or|ist|ian)"
        ),
    ),
    (
        "home",
        compile_cues(
            r"live|living|lived|moved|home|flat|house|apartment|address|garden|rent|floor|wohne|wohnen"
            r"|wohnung|vivo|vivimos|casa|j'habite|habitons|abit(?:o|iamo)|mor(?:o|amos)|landlord"
        ),
    ),
)


def find_category(text: str, *, is_wish: bool = False) -> str:
    """Return what part of life a statement is about; only a wish is one of style."""
    found = (category for category, pattern in CATEGORY_CUES if pattern.search(text))
    return next((category for category in found if is_wish or category != CATEGORY_STYLE), CATEGORY_OTHER)
