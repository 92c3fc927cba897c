"""Things of a kind of which people use one at a time: who has switched to tea drinks no coffee."""

import re
from functools import lru_cache

#: Each row begins with the name of its kind.
ALIKE_TEXT = """
drink: coffee, tea, green tea, decaf, matcha, cocoa, espresso, soda, cola, sparkling water, energy drinks
milk: milk, cow's milk, oat milk, soy milk, almond milk
system: windows, macos, mac, a mac, linux, ubuntu, fedora, debian, arch, chromeos
phone: iphone, an iphone, android, an android phone, pixel, a pixel, samsung
editor: vim, neovim, emacs, vs code, vscode, zed, sublime, intellij, pycharm, cursor, helix
browser: chrome, firefox, safari, edge, brave, vivaldi, opera
shell: bash, zsh, fish, powershell
language: python, javascript, typescript, rust, java, kotlin, ruby, php, c#, c++, elixir, scala, swift
diet: keto, paleo, low-carb, vegan, vegetarian, pescatarian, gluten-free
travel: the bus, bus, the train, train, the car, car, the bike, bike, cycling, driving, the tram, the metro
messenger: whatsapp, signal, telegram, slack, teams, discord
notes: notion, obsidian, evernote, onenote, apple notes
search: google, duckduckgo, kagi, bing
music: spotify, apple music, tidal, deezer, youtube music
reading: e-books, ebooks, paper books, audiobooks
"""
KIND_BY_THING = {
    thing.strip(): kind
    for kind, _, things in (row.partition(":") for row in ALIKE_TEXT.strip().splitlines())
    for thing in things.split(",")
}
THING_PATTERN = re.compile(
    rf"(?<![\w-])(?:{'|'.join(sorted(map(re.escape, KIND_BY_THING), key=len, reverse=True))})(?![\w-])",
    re.IGNORECASE,
)
SWITCHED_PATTERN = re.compile(
    r"(?:i|we)(?:'ve| have|'m| am|'re| are)?(?: just| finally| completely| now)*"
    r" (?:switch(?:ed|ing)?|chang(?:ed|ing)|converted|moved|gone|went|migrat(?:ed|ing))"
    r" (?:(?:all |both )?(?:of )?(?:my|our|the) [\w ]{2,30}? )?(?:over |back )?to"
    r" (?P<thing>[^,.;]{2,40})",
    re.IGNORECASE,
)
#: What people do with the one thing of a kind that they use.
USED_PATTERN = re.compile(
    r"(?:i|we)(?: (?:usually|always|mostly|mainly|only|currently|still))*"
    r" (?:prefer|drink|use|take|have|run|write|code in|ride|drive|commute by|browse with|work)\b",
    re.IGNORECASE,
)
#: What may stand before a noun and names no sort of it.
SORTLESS_TEXT = "a an the my our some any more no of in to for with at on two three four"
SORTLESS_WORDS = frozenset(SORTLESS_TEXT.split())
KIND_WORD_PREFIX = "kind:"


@lru_cache(8_192)
def find_kinds(plain: str) -> frozenset[str]:
    """Return the words of the kinds of things that a person uses, or has switched to."""
    if not (USED_PATTERN.match(plain) or SWITCHED_PATTERN.match(plain)):
        return frozenset()
    return frozenset(f"{KIND_WORD_PREFIX}{KIND_BY_THING[thing]}" for thing in _find_things(plain))


def is_switched_kind(new: str, old: str) -> bool:
    """Tell whether a person has switched to a thing of the kind that they said to use another of."""
    switched = SWITCHED_PATTERN.match(new)
    if switched is None or not USED_PATTERN.match(old):
        return False
    if _names_other_sort(switched["thing"], old):
        return True
    taken, used = _find_things(switched["thing"]), _find_things(old)
    kinds = {KIND_BY_THING[thing] for thing in taken}
    return taken.isdisjoint(used) and any(KIND_BY_THING[thing] in kinds for thing in used)


def _names_other_sort(thing: str, old: str) -> bool:
    """Tell whether a statement names another sort of a thing: night shifts, where this is day shifts."""
    *sort, noun = thing.split() or [""]
    other = re.search(rf"\b(?P<sort>[a-z]+) {re.escape(noun)}\b", old, re.IGNORECASE) if sort else None
    return other is not None and other["sort"].casefold() not in (sort[-1].casefold(), *SORTLESS_WORDS)


def _find_things(plain: str) -> set[str]:
    return {found[0].casefold() for found in THING_PATTERN.finditer(plain)}
