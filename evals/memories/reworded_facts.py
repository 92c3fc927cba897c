"""Lists of facts in which a later one says the same of something in other words, and with another value."""

import random

from evals.memories.numbered_facts import REPLACED_SHARE, NumberedFact, draw_name, draw_value

REWORDED_FACT_COUNT = 1_000
#: Each with the kinds of its subject and its value, and with the ways in which it is said.
REWORDED_RELATIONS = (
    (
        "company",
        "person",
        (
            "The chief executive officer of {subject} is {value}",
            "{value} is the CEO of {subject}",
            "The CEO of {subject} is {value}",
        ),
    ),
    (
        "person",
        "place",
        (
            "{subject} is a citizen of {value}",
            "{subject} holds citizenship of {value}",
            "{subject} is a national of {value}",
        ),
    ),
    (
        "person",
        "person",
        (
            "{subject} is married to {value}",
            "The spouse of {subject} is {value}",
            "{subject}'s spouse is {value}",
        ),
    ),
    (
        "title",
        "person",
        (
            "The author of {subject} is {value}",
            "{subject} was written by {value}",
        ),
    ),
    (
        "company",
        "person",
        (
            "{subject} was founded by {value}",
            "The founder of {subject} is {value}",
        ),
    ),
    (
        "person",
        "noun",
        (
            "{subject} is affiliated with the religion of {value}",
            "The religion of {subject} is {value}",
            "{subject}'s religion is {value}",
        ),
    ),
    (
        "person",
        "noun",
        (
            "{subject} is associated with the sport of {value}",
            "{subject} plays the sport of {value}",
            "The sport played by {subject} is {value}",
        ),
    ),
    (
        "title",
        "noun",
        (
            "The genre of {subject} is {value}",
            "{subject} belongs to the genre of {value}",
        ),
    ),
    (
        "person",
        "noun",
        (
            "The type of music that {subject} plays is {value}",
            "The music genre of {subject} is {value}",
        ),
    ),
    (
        "company",
        "place",
        (
            "The headquarters of {subject} is located in the city of {value}",
            "{subject} is headquartered in {value}",
            "The headquarters of {subject} are in {value}",
            "{subject} has its headquarters in {value}",
        ),
    ),
    (
        "place",
        "noun",
        (
            "The official language of {subject} is {value}",
            "The national language of {subject} is {value}",
        ),
    ),
    (
        "person",
        "place",
        (
            "{subject} was born in the city of {value}",
            "{subject} was born in {value}",
            "The birthplace of {subject} is {value}",
            "The place of birth of {subject} is {value}",
        ),
    ),
    (
        "person",
        "place",
        (
            "{subject} died in the city of {value}",
            "{subject} died in {value}",
            "The place of death of {subject} is {value}",
        ),
    ),
    (
        "person",
        "noun",
        (
            "{subject} works in the field of {value}",
            "The field of work of {subject} is {value}",
            "{subject}'s area of work is {value}",
        ),
    ),
    (
        "person",
        "noun",
        (
            "{subject} plays the position of {value}",
            "{subject} plays as {value}",
            "The position of {subject} is {value}",
        ),
    ),
    (
        "title",
        "company",
        (
            "{subject} was developed by {value}",
            "The developer of {subject} is {value}",
        ),
    ),
    (
        "title",
        "person",
        (
            "{subject} was created by {value}",
            "The creator of {subject} is {value}",
        ),
    ),
    (
        "person",
        "company",
        (
            "{subject} is employed by {value}",
            "{subject} works for {value}",
            "The employer of {subject} is {value}",
            "{subject}'s employer is {value}",
        ),
    ),
    (
        "place",
        "person",
        (
            "The name of the current head of state in {subject} is {value}",
            "The head of state of {subject} is {value}",
        ),
    ),
    (
        "place",
        "person",
        (
            "The name of the current head of the {subject} government is {value}",
            "The head of government of {subject} is {value}",
        ),
    ),
    (
        "place",
        "place",
        (
            "The capital of {subject} is {value}",
            "The capital city of {subject} is {value}",
            "{value} is the capital of {subject}",
        ),
    ),
    (
        "place",
        "place",
        (
            "{subject} is located in the continent of {value}",
            "{subject} belongs to the continent of {value}",
            "The continent of {subject} is {value}",
        ),
    ),
    (
        "company",
        "person",
        (
            "The head coach of {subject} is {value}",
            "{subject} is coached by {value}",
            "{subject}'s head coach is {value}",
        ),
    ),
    (
        "title",
        "person",
        (
            "{subject} was directed by {value}",
            "The director of {subject} is {value}",
            "{value} directed {subject}",
        ),
    ),
    (
        "company",
        "person",
        (
            "The director/manager of {subject} is {value}",
            "The director of {subject} is {value}",
        ),
    ),
    (
        "title",
        "person",
        (
            "{subject} was performed by {value}",
            "The performer of {subject} is {value}",
        ),
    ),
    (
        "title",
        "company",
        (
            "The company that produced {subject} is {value}",
            "{subject} was produced by {value}",
        ),
    ),
    (
        "title",
        "noun",
        (
            "{subject} was written in the language of {value}",
            "The original language of {subject} is {value}",
            "The language of {subject} is {value}",
        ),
    ),
    (
        "title",
        "company",
        (
            "The origianl broadcaster of {subject} is {value}",
            "The original broadcaster of {subject} is {value}",
            "{subject} was originally broadcast by {value}",
        ),
    ),
    (
        "person",
        "company",
        (
            "The univeristy where {subject} was educated is {value}",
            "The alma mater of {subject} is {value}",
            "{subject} was educated at {value}",
        ),
    ),
    (
        "person",
        "noun",
        (
            "The occupation of {subject} is {value}",
            "{subject} works as a {value}",
            "{subject}'s profession is {value}",
        ),
    ),
    (
        "person",
        "noun",
        (
            "The instrument that {subject} plays is the {value}",
            "The instrument of {subject} is the {value}",
        ),
    ),
    (
        "person",
        "noun",
        (
            "The native language of {subject} is {value}",
            "The mother tongue of {subject} is {value}",
            "{subject}'s native language is {value}",
        ),
    ),
    (
        "person",
        "place",
        (
            "{subject} worked in the city of {value}",
            "The work location of {subject} is {value}",
        ),
    ),
    (
        "person",
        "person",
        (
            "{subject}'s child is {value}",
            "The child of {subject} is {value}",
        ),
    ),
    (
        "company",
        "person",
        (
            "The chairperson of {subject} is {value}",
            "{subject} is chaired by {value}",
        ),
    ),
    (
        "company",
        "place",
        (
            "{subject} was founded in the city of {value}",
            "The place of founding of {subject} is {value}",
        ),
    ),
    (
        "company",
        "company",
        (
            "{subject} is owned by {value}",
            "The owner of {subject} is {value}",
            "The parent company of {subject} is {value}",
        ),
    ),
    (
        "title",
        "place",
        (
            "{subject} was created in the country of {value}",
            "The country of origin of {subject} is {value}",
            "{subject} originated in {value}",
        ),
    ),
    (
        "person",
        "title",
        (
            "{subject} is famous for {value}",
            "{subject} is best known for {value}",
            "The notable work of {subject} is {value}",
        ),
    ),
    (
        "person",
        "company",
        (
            "{subject} plays for {value}",
            "The team of {subject} is {value}",
            "{subject} is a player for {value}",
        ),
    ),
    (
        "person",
        "company",
        (
            "{subject} is signed to {value}",
            "The record label of {subject} is {value}",
        ),
    ),
    (
        "place",
        "person",
        (
            "The mayor of {subject} is {value}",
            "{value} is the mayor of {subject}",
        ),
    ),
    (
        "person",
        "place",
        (
            "{subject} lives in {value}",
            "{subject} resides in {value}",
            "The residence of {subject} is {value}",
        ),
    ),
    (
        "person",
        "company",
        (
            "{subject} is a member of the political party {value}",
            "The political party of {subject} is {value}",
        ),
    ),
    (
        "title",
        "company",
        (
            "{subject} was published by {value}",
            "The publisher of {subject} is {value}",
        ),
    ),
    (
        "title",
        "person",
        (
            "The composer of {subject} is {value}",
            "{subject} was composed by {value}",
        ),
    ),
    (
        "person",
        "person",
        (
            "{subject}'s father is {value}",
            "The father of {subject} is {value}",
        ),
    ),
)


def build_reworded_facts(seed: int, count: int = REWORDED_FACT_COUNT) -> list[NumberedFact]:
    """Return numbered facts, of which a share is replaced by later ones, each said in any of its ways."""
    chance = random.Random(seed)
    subjects = _draw_relations(chance, int(count / (1 + REPLACED_SHARE)))
    planned = [*subjects, *chance.sample(subjects, count - len(subjects))]
    return [
        NumberedFact(
            f"{number}. {_say(chance, relation, name, number)}.",
            f"{REWORDED_RELATIONS[relation][2][0]}|{name}",
        )
        for number, (relation, name) in enumerate(planned)
    ]


def _draw_relations(chance: random.Random, count: int) -> list[tuple[int, str]]:
    drawn: dict[tuple[int, str], None] = {}
    while len(drawn) < count:
        relation = chance.randrange(len(REWORDED_RELATIONS))
        drawn[relation, draw_name(chance, REWORDED_RELATIONS[relation][0])] = None
    return list(drawn)


def _say(chance: random.Random, relation: int, name: str, number: int) -> str:
    _, kind, wordings = REWORDED_RELATIONS[relation]
    said = chance.choice(wordings).format(subject=name, value=draw_value(chance, number, kind))
    return said[:1].upper() + said[1:]
