"""Made-up lists of numbered facts in which later ones replace earlier ones, replayed as a store would."""

import random
from collections import defaultdict
from dataclasses import dataclass, field
from time import perf_counter

from tertulia.memories.subjects import lookup_words, replaces

FACT_COUNT = 1_000
REPLACED_SHARE = 0.4
PLACE_NAME_TEXT = "Velmara Ostrin Quell Brunmark Talland Kelmar Sundria Arvost Dunmere Orlath Lyndholm"
FIRST_NAME_TEXT = "Ada Milo Iris Orrin Nadia Theo Lotte Karim Rosalind Hugo Eve Gareth Tamsin Ravi Ines"
LAST_NAME_TEXT = "Finch Reyes Vahl Blackwood Kovač Marsh Brandt Osei Keane Silva Loring O'Shea Lund-Ek Day"
TITLE_TEXT = (
    "The Salt Road|What Is Left|Never Say Again|A Quiet Is Coming|Red Sand|Who Was Here|Is It Raining|Red"
    "|To Have Been|The Last of the Rivers|Home, Now|Not the Sun|Winter in the City|All We Are|No Longer"
)
COMPANY_TEXT = "Foxglove Juniper Meridian Harmon Kestrel Arkane Hallam Tamsin Cobalt Zephyr"
PLACE_NAMES, FIRST_NAMES = PLACE_NAME_TEXT.split(), FIRST_NAME_TEXT.split()
LAST_NAMES, COMPANY_WORDS = LAST_NAME_TEXT.split(), COMPANY_TEXT.split()
TITLES = TITLE_TEXT.split("|")
COMPANY_ENDS = (
    "Inc.",
    "& Sons",
    "Group",
    "Trust",
    "Labs",
    "(Holdings)",
    "of the North",
    "United",
    "F.C.",
    "No. 7",
)
COMMON_VALUE_TEXT = "jazz botany chess rugby curling striker goalkeeper law physics painting grime opera judo"
COMMON_VALUES = COMMON_VALUE_TEXT.split()
TITLE_ENDS = ("", ": Part II", " (film)", " and Other Tales", "!")
#: Each with the kinds of its subject and its value: a person, place, title, company or a common noun.
FACT_TEMPLATES = (
    ("The capital of {} is {}", "place", "place"),
    ("{} was born in the city of {}", "person", "place"),
    ("{} died in the city of {}", "person", "place"),
    ("{} is married to {}", "person", "person"),
    ("The author of {} is {}", "title", "person"),
    ("{} plays the position of {}", "person", "noun"),
    ("{} is a citizen of {}", "person", "place"),
    ("The chief executive officer of {} is {}", "company", "person"),
    ("{} speaks the language of {}", "person", "place"),
    ("{} was founded by {}", "company", "person"),
    ("{} was founded in the city of {}", "company", "place"),
    ("{} is associated with the sport of {}", "person", "noun"),
    ("{} works in the field of {}", "person", "noun"),
    ("The official language of {} is {}", "place", "noun"),
    ("The head coach of {} is {}", "company", "person"),
    ("{} is located in the continent of {}", "place", "place"),
    ("{} is employed by {}", "person", "company"),
    ("{} was performed by {}", "title", "person"),
    ("{} was created in the country of {}", "title", "place"),
    ("{} was written in the language of {}", "title", "noun"),
    ("The university where {} was educated is {}", "person", "company"),
    ("The type of music that {} plays is {}", "person", "noun"),
    ("The headquarters of {} is located in the city of {}", "company", "place"),
    ("{}'s child is {}", "person", "person"),
    ("The name of the current head of state in {} is {}", "place", "person"),
    ("The company that produced {} is {}", "title", "company"),
    ("{} is affiliated with the religion of {}", "person", "noun"),
    ("{} is owned by {}", "company", "company"),
    ("The currency of {} is the {}", "place", "noun"),
    ("{} lives in {}", "person", "place"),
    ("The mayor of {} is {}", "place", "person"),
)


@dataclass(frozen=True, slots=True)
class NumberedFact:
    """A fact with what it is about: of facts on the same the last one holds."""

    text: str
    subject: str


@dataclass(slots=True)
class ReplayOutcome:
    """What is left of a list of facts."""

    newest: int = 0
    newest_shown: int = 0
    stale: int = 0
    stale_shown: int = 0
    seconds: float = 0.0
    compared: int = 0
    examples: list[str] = field(default_factory=list[str])


def build_facts(seed: int, count: int = FACT_COUNT) -> list[NumberedFact]:
    """Return numbered facts, of which a share is replaced by later ones."""
    chance = random.Random(seed)
    first = int(count / (1 + REPLACED_SHARE))
    subjects = _draw_subjects(chance, first)
    planned = [(place, subject) for place, subject in enumerate(subjects)]
    planned += [
        (first + place, subject) for place, subject in enumerate(chance.sample(subjects, count - first))
    ]
    return [
        NumberedFact(
            f"{number}. {template.format(name, draw_value(chance, number, kind))}.", f"{template}|{name}"
        )
        for number, (template, name, kind) in planned
    ]


def replay_facts(facts: list[NumberedFact]) -> ReplayOutcome:
    """Return what a store shows that looks candidates up by words and leaves out what is replaced."""
    outcome, shown = ReplayOutcome(), dict[int, NumberedFact]()
    by_word: dict[str, set[int]] = defaultdict(set)
    began = perf_counter()
    for number, fact in enumerate(facts):
        candidates = {other for word in lookup_words(fact.text) for other in by_word[word]}
        for other in candidates & shown.keys():
            outcome.compared += 1
            if replaces(fact.text, facts[other].text):
                del shown[other]
        shown[number] = fact
        for word in lookup_words(fact.text):
            by_word[word].add(number)
    outcome.seconds = perf_counter() - began
    _count_shown(outcome, facts, shown)
    return outcome


def _count_shown(outcome: ReplayOutcome, facts: list[NumberedFact], shown: dict[int, NumberedFact]) -> None:
    newest = {fact.subject: number for number, fact in enumerate(facts)}
    for number, fact in enumerate(facts):
        is_newest = newest[fact.subject] == number
        outcome.newest += is_newest
        outcome.stale += not is_newest
        outcome.newest_shown += is_newest and number in shown
        outcome.stale_shown += not is_newest and number in shown
        if is_newest != (number in shown):
            outcome.examples.append(fact.text)


def _draw_subjects(chance: random.Random, count: int) -> list[tuple[str, str, str]]:
    drawn: dict[tuple[str, str], str] = {}
    while len(drawn) < count:
        template, subject, value = chance.choice(FACT_TEMPLATES)
        drawn[template, draw_name(chance, subject)] = value
    return [(template, name, value) for (template, name), value in drawn.items()]


def draw_value(chance: random.Random, number: int, kind: str) -> str:
    """Return a value; a place or a noun that no other fact has, so that none is said again by chance."""
    name = draw_name(chance, kind)
    return f"{name} {LAST_NAMES[number % len(LAST_NAMES)]}{number}" if kind in ("place", "noun") else name


def draw_name(chance: random.Random, kind: str) -> str:
    """Return a name of a person, place, title or company, or a common noun."""
    if kind == "person":
        middle = chance.choice(
            ("", "", " de", f" {chance.choice('ABCDEFGH')}.", f" {chance.choice(LAST_NAMES)}")
        )
        return f"{chance.choice(FIRST_NAMES)}{middle} {chance.choice(LAST_NAMES)}"
    if kind == "place":
        return f"{chance.choice(('', 'New ', 'Saint ', 'Port ', 'Upper '))}{chance.choice(PLACE_NAMES)}"
    if kind == "title":
        return f"{chance.choice(TITLES)}{chance.choice(TITLE_ENDS)}"
    if kind == "company":
        return f"{chance.choice(COMPANY_WORDS)} {chance.choice(COMPANY_ENDS)}"
    return chance.choice(COMMON_VALUES)
