"""A relation that is said in several ways is one relation, and names are no times, places or articles."""

import pytest

from tertulia.memories.subjects import replaces

SAME_RELATION = [
    ("The author of The Hollow Tide is Esme Okonkwo.", "The Hollow Tide was written by Jorge Whitlock."),
    ("Esme Okonkwo wrote The Hollow Tide.", "The author of The Hollow Tide is Jorge Whitlock."),
    ("Esme Okonkwo directed Paper Island.", "Jorge Whitlock directed Paper Island."),
    (
        "Aiko Nwosu is the CEO of Corvane Motors.",
        "The chief executive officer of Corvane Motors is Bram Lee.",
    ),
    ("Aiko Nwosu is a citizen of Peru.", "The nationality of Aiko Nwosu is Kenyan."),
    ("Aiko Nwosu holds citizenship of Peru.", "Aiko Nwosu is a national of Kenya."),
    ("The spouse of Aiko Nwosu is Bram Lee.", "Aiko Nwosu is married to Farid Drew."),
    ("Helios Bank has its headquarters in Riga.", "The headquarters of Helios Bank are in Kobe."),
    (
        "Helios Bank is headquartered in Riga.",
        "The headquarters of Helios Bank is located in the city of Kobe.",
    ),
    ("Tove Lund was born in the city of Ghent.", "The place of birth of Tove Lund is Porto."),
    ("The birthplace of Tove Lund is Ghent.", "Tove Lund was born in Porto."),
    ("The sport played by Tove Lund is fencing.", "Tove Lund is associated with the sport of cricket."),
    ("Tove Lund's profession is poet.", "Tove Lund works as a judge."),
    ("The type of music that Tove Lund plays is reggae.", "The music genre of Tove Lund is bebop."),
    ("The univeristy where Tove Lund was educated is Corvane.", "The alma mater of Tove Lund is Helios."),
    ("The company that produced Glass River is Helios.", "Glass River was produced by Corvane."),
    ("Glass River has a population of 3,120.", "The population of Glass River is 4,001."),
    ("Tove Lund is stationed in Riga.", "Tove Lund is stationed in Kobe."),
    ("Helios Bank was bought by Corvane.", "Helios Bank was bought by Lumina."),
    ("Glass River is published weekly by Helios.", "Glass River is published weekly by Corvane."),
    ("Helios Bank trades under the ticker HLB.", "Helios Bank trades under the ticker HBK."),
    ("Helios Choir ranks fourth in the league.", "Helios Choir ranks ninth in the league."),
    ("The flag of Peru is purple.", "The flag of Peru is green and white."),
    ("The narrator of Glass River is Tove Lund.", "Glass River is narrated by Bram Lee."),
    ("Glass River was originally broadcast by Helios.", "The original broadcaster of Glass River is Lumina."),
    ("The director/manager of Helios Bank is Tove Lund.", "The director of Helios Bank is Bram Lee."),
    (
        "The name of the current head of the Peru government is Tove Lund.",
        "The head of government of Peru is Bram.",
    ),
    ("The name of the current head of state in Peru is Tove.", "The head of state of Peru is Bram Lee."),
    ("Helios Bank's mascot is the heron.", "The mascot of Helios Bank is the badger."),
    ("Helios Choir's lead singer is Tove Lund.", "The lead singer of Helios Choir is Bram Lee."),
    ("Tove Lund is the architect of Glass River.", "The architect of Glass River is Bram Lee."),
    ("Glass River was written in the language of Welsh.", "The language of Glass River is Basque."),
    ("Peru is located in the continent of Asia.", "The continent of Peru is South America."),
    ("Fact 12: Turin is a city in Peru.", "Fact 80: Turin is a city in Kenya."),
    ("[12] The capital of Peru is Lima.", "#80 The capital of Peru is Cusco."),
    ("- The capital of Peru is Lima.", "12: Cusco is the capital of Peru."),
    ("The author of Glass River is April Jones.", "The author of Glass River is Tove Lund."),
    ("The anthem of Peru is Midnight Orchard.", "The anthem of Peru is A Quiet Tide."),
    ("My job is nurse.", "I work as a teacher."),
]
BOTH_HOLD = [
    ("The author of Red is Anna Lee.", "The publisher of Red is Bob Drew."),
    ("Acme was founded in 1999.", "Acme was founded by Bob Drew."),
    ("Tom Lee was born in the city of Oslo.", "Tom Lee was born in the country of Norway."),
    ("My wife is Anna.", "I'm married."),
    ("The capital of Kelmar is Dun.", "The capital of Kelmar is in the north."),
    ("Globex owns Acme.", "Globex owns Initech."),
    ("Bob Drew is the father of Tom.", "Bob Drew is the father of Max."),
    ("Anna Lee wrote Red.", "Anna Lee wrote Blue."),
    ("Anna's brother is Tom.", "Anna's brother is Max."),
    ("The religion of Tom Lee is the Church of England.", "The religion of Bob is the Church of England."),
    ("The head of state of Peru is Tove.", "The head of government of Peru is Bram."),
    ("I work as a nurse.", "I work for Helios."),
]


@pytest.mark.parametrize(("old", "new"), SAME_RELATION)
def test_the_same_relation_in_other_words_is_replaced(old: str, new: str) -> None:
    assert replaces(new, old)


@pytest.mark.parametrize(("old", "new"), BOTH_HOLD)
def test_other_relations_of_the_same_stay(old: str, new: str) -> None:
    assert not replaces(new, old)
