"""Relations that are said in several ways: the nouns, the verbs after their subject, those before it."""

#: Name, nouns ("the author of it"), verbs after the subject ("it was written by"), verbs before it ("wrote").
#: Two nouns are misspelt as lists of facts that people pass around misspell them.
RELATION_TEXT = """
author | author, writer | written by, authored by, penned by | wrote, authored, penned
founder | founder | founded by, established by, started by | founded, established
founded in | place of founding, place of foundation, founding place, founding location
founded in | | founded in, established in
founded in figure | year of founding, founding year, founding date
founded in figure | | founded in figure, established in figure
creator | creator | created by | created
developer | developer | developed by | developed
designer | designer | designed by | designed
inventor | inventor | invented by | invented
discoverer | discoverer | discovered by | discovered
composer | composer | composed by | composed
director | director, director/manager | directed by | directed
producer | producer, production company | produced by | produced
performer | performer, singer | performed by, sung by, recorded by | performed, sang, recorded
publisher | publisher | published by | published
painter | painter | painted by | painted
builder | builder | built by, constructed by | built
manufacturer | manufacturer, maker | manufactured by, made by | manufactured
broadcaster | broadcaster, original broadcaster, original network, origianl broadcaster
broadcaster | | broadcast by, aired by, aired on, broadcast on, debuted on, premiered on
operator | operator | operated by | operates
owner | owner, parent company, parent organisation, parent organization | owned by | owns
manager | manager | managed by | manages
coach | head coach, coach, trainer | coached by, trained by | coaches
chair | chairperson, chair, chairman, chairwoman | chaired by | chairs
leader | leader | led by, headed by | leads, heads
ceo | ceo, chief executive officer, chief executive
head of state | head of state
head of government | head of government, head of the government
capital | capital, capital city
currency | currency, official currency
official language | official language, national language
original language | original language, language, language of work | written in language
native language | native language, mother tongue, first language | a native speaker of
country | country | located in country
continent | continent | located in continent, part of continent
place | residence, place of residence, current residence, home | can be found in, within
headquarters | headquarters, head office, main office, seat | headquartered in, headquartered at
born in | birthplace, place of birth, birth place, city of birth | born in, born at
born in figure | year of birth, birth year, date of birth, birth date | born in figure, born on figure
died in | place of death, deathplace | died in, died at, passed away in, passed away at
educated at | alma mater, university, univeristy | educated at, graduated from, educated by
work location | work location, place of work, workplace | worked in
citizenship | citizenship, nationality, country of citizenship
citizenship | | a citizen of, a national of, hold citizenship of, hold citizenship in
citizenship | | hold citizenship from, hold nationality of, hold a citizenship from
citizenship | | hold the citizenship of
marital | spouse, husband, wife
employer | employer | employed by, employed at, hired by, an employee of
job | occupation, profession, job | work as, worked as
field | field of work, field, area of work, area of expertise, domain of work, expertise, specialty
field | speciality
field | | specialize in, specialise in
religion | religion, faith
sport | sport
position | position, playing position | play as, played as
genre | genre
music genre | music genre, genre of music, type of music, kind of music, musical genre, style of music
instrument | instrument, main instrument
team | team, club | play for, played for, a player for
record label | record label, label | signed to, signed with
political party | political party, party | a member of the political party
notable work | notable work, best-known work, most famous work | famous for, best known for
origin country | country of origin
origin country | | created in country, originated in country, originated in, originated from
origin country | | originate from, originate in
mascot | mascot
home ground | home stadium, home ground, stadium | play its home games at, play their home games at
born in country | country of birth, birth country | born in country
successor | successor | succeeded by | succeeded
major | major | majored in
father | father
mother | mother
main character | main character, protagonist, lead character
"""
#: Relations named by what their value is, whichever verb says so: "plays the sport of".
TYPED_RELATIONS = frozenset(("religion", "sport", "field", "position", "genre", "continent", "faith"))
#: A value of such a type is told without it as well: "born in the city of Oslo" and "born in Oslo".
PLACE_TYPES = frozenset(("city", "town", "village"))
#: "The university where she was educated": what the verb of such a clause stands for.
CLAUSE_VERB_TEXT = """
was educated | educated at
graduated | educated at
studied | educated at
was born | born in
died | died in
was founded | founded in
lives | place
resides | place
works for | employer
works | employer
is employed | employer
plays for | team
is from | origin country
was created | origin country
is located | place
is headquartered | headquarters
"""


def _split_names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def _read_table(column: int) -> dict[str, str]:
    rows = [[part.strip() for part in line.split("|")] for line in RELATION_TEXT.strip().splitlines()]
    return {name: row[0] for row in rows if len(row) > column for name in _split_names(row[column])}


RELATION_BY_NOUN, RELATION_BY_VERB, RELATION_BY_ACTIVE_VERB = map(_read_table, (1, 2, 3))
RELATION_BY_CLAUSE_VERB = {
    verb.strip(): relation.strip()
    for verb, relation in (line.split("|") for line in CLAUSE_VERB_TEXT.strip().splitlines())
}
