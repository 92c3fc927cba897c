"""Addresses of the continent: the number comes after the street, the code before the town."""

import re
from collections.abc import Iterator

from tertulia.entities.address_tails import read_address_tail

NUMBER_AFTER_REGEX = r"\d{1,4}(?:[ ]?[a-zA-Z](?!\w))?(?:[ ]?[-\u2013/][ ]?\d{1,4}[a-z]?)?(?![\w]|[.,:]\d)"
NAME_REGEX = r"(?:[A-ZÀ-Ý][a-z]{0,3}\.(?=[ ][A-ZÀ-Ý])|[A-ZÀ-Ý][\w'\u2019-]{0,30})"
SMALL_REGEX = r"(?:de|del|la|las|los|el|der|den|dem|des|von|van|di|della|du|l['\u2019]|y|e|da|do|dos)"
GERMAN_STREET_PATTERN = re.compile(
    r"(?<![\w-])(?:"
    r"[A-ZÄÖÜ][\wäöüß-]{1,40}?(?:straße|strasse|str\.|weg|platz|allee|gasse|ring|damm|ufer|chaussee|steig"
    r"|markt|graben|hof|gracht|straat|laan|plein|kade|dijk|singel)"
    r"|(?:[A-ZÄÖÜ][\wäöüß.]{1,30}[ -]){1,3}(?:Straße|Strasse|Str\.|Weg|Platz|Allee|Gasse|Ring|Damm|Ufer"
    r"|Chaussee|Markt)"
    r"|(?:Am|An[ ]der|An[ ]den|Auf[ ]de[mr]|Im|In[ ]der|Zum|Zur|Unter[ ]den|Hinter[ ]de[mrn])"
    r"[ ][A-ZÄÖÜ][\wäöüß-]{1,40}(?:[ ][A-ZÄÖÜ][\wäöüß-]{1,40})?"
    rf")[ ]{NUMBER_AFTER_REGEX}"
)
SPANISH_STREET_PATTERN = re.compile(
    r"(?<![\w/])(?:C/|(?:[Cc]alle|C\.|[Aa]venida|Avda\.?|Av\.|[Pp]laza|Pza\.?|Pl\.|[Pp]aseo|[Cc]amino"
    r"|[Cc]arretera|[Rr]onda|[Tt]ravesía"
    r"|[Cc]arrer|Rambla|Gran[ ]Vía|[Vv]ia(?:le)?|[Pp]iazza|[Cc]orso|Rua|Glorieta|Alameda))"
    rf"(?:[ ]?(?:{SMALL_REGEX}[ ]){{0,3}}{NAME_REGEX}(?:[ ](?:{SMALL_REGEX}[ ]){{0,2}}{NAME_REGEX}){{0,4}})?"
    rf",?[ ](?:n\.?[º°o][ ]?|núm(?:ero)?\.?[ ])?(?:{NUMBER_AFTER_REGEX}|s/n)"
    r"(?:,?[ ](?:\d{1,2}|bajo|ático|entresuelo|principal)[ ]?[.º°ª]{0,2}[ ]?(?:[A-Z]|\d{1,2}[ªº]|planta|piso"
    r"|izq\w*"
    r"|dcha\w*|derecha|izquierda)?(?![\w])(?:\.(?=,))?)?"
)
FRENCH_STREET_PATTERN = re.compile(
    r"(?<![\w.,/-])\d{1,4}(?:[ ]?(?:bis|ter|[a-c]))?,?[ ](?:(?i:rue|chemin|quai|allée|impasse)"
    rf"[ ](?:(?:{SMALL_REGEX}[ ]?|d['\u2019]){{0,3}})[^\W\d_][\w'\u2019-]{{0,30}}"
    rf"|(?i:avenue|boulevard|bd|place|cours|route|square)[ ](?:(?:{SMALL_REGEX}[ ]?|d['\u2019]){{0,3}})"
    rf"{NAME_REGEX})(?:[ -](?:{SMALL_REGEX}[ ]){{0,2}}{NAME_REGEX}){{0,3}}"
)
#: A code and a town after a comma or a space, as on letters.
CONTINENTAL_PATTERNS = (GERMAN_STREET_PATTERN, SPANISH_STREET_PATTERN, FRENCH_STREET_PATTERN)


def find_european_addresses(text: str) -> Iterator[tuple[int, int]]:
    """Yield where addresses stand that are written in the German, Spanish or French manner."""
    for pattern in CONTINENTAL_PATTERNS:
        for found in pattern.finditer(text):
            yield found.start(), read_address_tail(text, found.end())
