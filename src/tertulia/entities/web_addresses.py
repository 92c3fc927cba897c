"""Links and e-mail addresses."""

import re
from collections.abc import Iterator

from tertulia.entities.domain import EntityMention, EntityType

EMAIL_PATTERN = re.compile(
    r"(?<![\w.+%-])[\w+%-]++(?:\.[\w+%-]++){0,8}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){0,6}\.[A-Za-z]"
    r"{2,24}\b"
)
WITH_SCHEME_REGEX = r"\b(?:https?|ftp|sftp|ssh|wss?)://[^\s<>\"'`|\\^{}]+"
TOP_DOMAIN_REGEX = (
    r"(?:com|org|net|edu|gov|io|ai|app|dev|co|info|biz|me|tv|xyz|shop|online|site|tech|cloud|blog|news|eu"
    r"|uk|de|es"
    r"|fr|it|nl|pt|at|ch|be|ie|us|ca|au|nz|in|jp|br|mx|ar|pl|se|no|dk|fi|cz|gr|ru)"
)
#: Names of hosts without a scheme: `www.` says so, or an ending that only hosts have.
WITHOUT_SCHEME_REGEX = (
    r"(?<![\w@./-])(?:www\.[^\s<>\"'`|\\^{}]+"
    r"|(?:[A-Za-z0-9][A-Za-z0-9-]{0,62}\.){1,4}"
    + TOP_DOMAIN_REGEX
    + r"(?![\w@-])(?!\.[A-Za-z])(?::\d{2,5})?(?:/[^\s<>\"'`|\\^{}]*)?)"
)
LINK_PATTERN = re.compile(f"{WITH_SCHEME_REGEX}|{WITHOUT_SCHEME_REGEX}")
LINK_END_CHARS = ".,:;!?*_"
#: Endings of hosts that are words too: `it.is` or `no.me` is a slip of the keys, unless a path follows.
WORDLIKE_HOST_PATTERN = re.compile(r"(?:at|be|in|it|me|no|us|de|es|se|co)", re.IGNORECASE)
HOST_PATTERN = re.compile(r"(?:[a-z]+://)?([^/:?#]+)", re.IGNORECASE)


def find_emails(text: str) -> Iterator[EntityMention]:
    """Yield the e-mail addresses of a text."""
    for found in EMAIL_PATTERN.finditer(text) if "@" in text else ():
        yield EntityMention(EntityType.EMAIL, found[0], found[0].casefold(), found.start(), found.end())


def find_links(text: str) -> Iterator[EntityMention]:
    """Yield the web addresses of a text, without the marks of the sentence around them."""
    for found in LINK_PATTERN.finditer(text):
        value = trim_link(found[0])
        if is_host(value):
            start = found.start()
            yield EntityMention(EntityType.LINK, value, normalise_link(value), start, start + len(value))


def trim_link(link: str) -> str:
    """Return a link without the marks that end a sentence, or close a bracket opened before it."""
    trimmed = link.rstrip(LINK_END_CHARS)
    for opening, closing in ("()", "[]"):
        while trimmed.endswith(closing) and trimmed.count(closing) > trimmed.count(opening):
            trimmed = trimmed[:-1].rstrip(LINK_END_CHARS)
    return trimmed


def is_host(link: str) -> bool:
    """Tell whether this is a web address and not two words with a full stop between."""
    if "://" in link or link.lower().startswith("www.") or "/" in link:
        return True
    name, _, ending = link.rpartition(".")
    is_word = WORDLIKE_HOST_PATTERN.fullmatch(ending) is not None
    return ending.islower() and not (is_word and (len(name) < 4 or name.islower() is False))


def normalise_link(link: str) -> str:
    """Return a link as it is compared: without its scheme, `www.` and the last slash."""
    plain = re.sub(r"^(?:https?://)?(?:www\.)?", "", link, flags=re.IGNORECASE).rstrip("/")
    host, slash, path = plain.partition("/")
    return f"{host.casefold()}{slash}{path}"
