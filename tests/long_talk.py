"""A conversation of hundreds of rounds with facts hidden in it, each with a question that needs it.

The facts differ in kind and in how they are said; the talk around them has figures, names and advice of
its own, some of it about the same things.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

USER, MODEL = "user", "model"


@dataclass(frozen=True)
class Fact:
    """Something that was said once, a question that needs it, and what its answer must contain."""

    said: str
    question: str
    answer: str
    by: str = USER


FACTS = [
    Fact(
        "By the way, the staging database listens on 5439, not on the usual port.",
        "Which port does the staging database listen on?",
        "5439",
    ),
    Fact(
        "My sister Mirela is getting married in Porto, so I am away that week.",
        "Where is my sister getting married?",
        "Porto",
    ),
    Fact(
        "We decided to drop Redis and keep the queue in PostgreSQL.",
        "What did we decide about Redis and the queue?",
        "queue in PostgreSQL",
    ),
    Fact(
        "The landlord wants 1,450 euros a month plus heating.",
        "How much rent does the landlord want?",
        "1,450",
    ),
    Fact(
        "I'm allergic to hazelnuts, walnuts are fine though.",
        "Which nuts am I allergic to?",
        "hazelnuts",
    ),
    Fact(
        "Our flight back leaves at 06:35 from Lisbon on the 19th of October.",
        "When does our flight back leave?",
        "06:35",
    ),
    Fact(
        "Please never use semicolons in the TypeScript you write for me.",
        "What should you never use in TypeScript that you write for me?",
        "semicolons",
    ),
    Fact(
        "The invoice number for the roof repair is RF-20931.",
        "What is the invoice number for the roof repair?",
        "RF-20931",
    ),
    Fact(
        "I've saved the migration script as `db/2024_split_accounts.py`.",
        "Under which name was the migration script saved?",
        "2024_split_accounts.py",
        MODEL,
    ),
    Fact(
        "Our accountant is called Jarmila Novotná and only answers e-mail.",
        "What is our accountant called?",
        "Jarmila Novotná",
    ),
    Fact(
        "Let's go with the walnut desk, the oak one is too wide for the alcove.",
        "Which desk did I choose?",
        "walnut desk",
    ),
    Fact(
        "The API key for the weather service expires on 3 March 2027.",
        "When does the API key for the weather service expire?",
        "3 March 2027",
    ),
    Fact(
        "Write to the printers at proofs@halvorsen-druck.example when the file is ready.",
        "Which address do we write to when the file for the printers is ready?",
        "proofs@halvorsen-druck.example",
    ),
    Fact(
        "Tomasz runs the night shift and is the only one with the key to the server room.",
        "Who has the key to the server room?",
        "Tomasz",
    ),
    Fact(
        "We agreed that the beta ends on 14 June and not a day later.",
        "When does the beta end?",
        "14 June",
    ),
    Fact(
        "The sourdough starter gets 60 g of rye every evening, I call it Hildegard.",
        "What do I call my sourdough starter?",
        "Hildegard",
    ),
    Fact(
        "Grandma's piano was built in 1911 by a maker in Leipzig called Feurich.",
        "Who built grandma's piano?",
        "Feurich",
    ),
    Fact(
        "The retention period for raw logs was set to 45 days by legal.",
        "How long is the retention period for raw logs?",
        "45 days",
    ),
    Fact(
        "I prefer answers in metric units, I cannot think in inches.",
        "In which units do I prefer answers?",
        "metric units",
    ),
    Fact(
        "The cabin is at 12 Kestrel Lane, the second gate after the chapel.",
        "What is the address of the cabin?",
        "12 Kestrel Lane",
    ),
    Fact(
        "Our load balancer is pinned to version 2.8.11 because 2.9 leaks connections.",
        "Which version is our load balancer pinned to?",
        "2.8.11",
    ),
    Fact(
        "The choir meets in the old fire station, upstairs, on Wednesdays.",
        "Where does the choir meet?",
        "old fire station",
    ),
    Fact(
        "Remember that the translation budget is capped at $18,400 for the whole year.",
        "What is the translation budget capped at?",
        "18,400",
    ),
    Fact(
        "Dr. Okonkwo told me to take the tablets before breakfast, with water only.",
        "When should I take the tablets according to Dr. Okonkwo?",
        "before breakfast",
    ),
    Fact(
        "The internal codename of the new reporting module is Quillfish.",
        "What is the codename of the new reporting module?",
        "Quillfish",
    ),
    Fact(
        "For the record, the wifi in the workshop is called larch-and-ember.",
        "What is the wifi in the workshop called?",
        "larch-and-ember",
    ),
    Fact(
        "We will ship the desktop client first, the phone app waits until autumn.",
        "Which client do we ship first?",
        "desktop client first",
    ),
    Fact(
        "I wrote the cover letter to the museum in Ghent, the draft is called ghent-letter-v3.",
        "What is the draft of the cover letter to the museum called?",
        "ghent-letter-v3",
    ),
    Fact(
        "The nightly export failed with exit code 137 on the small machine.",
        "With which exit code did the nightly export fail?",
        "137",
    ),
    Fact(
        "Leonie from purchasing approved the two extra microphones.",
        "Who approved the extra microphones?",
        "Leonie",
    ),
    Fact(
        "My daughter's school closes at 15:20 on Fridays, so no calls after that.",
        "When does my daughter's school close on Fridays?",
        "15:20",
    ),
    Fact(
        "The tenant id in the test system is acme-sandbox-77.",
        "What is the tenant id in the test system?",
        "acme-sandbox-77",
    ),
    Fact(
        "We chose Vollkorn for the headlines and Inter for the text.",
        "Which typeface did we choose for the headlines?",
        "Vollkorn",
    ),
    Fact(
        "The greenhouse must not fall below 4 °C or the lemons die.",
        "Below which temperature must the greenhouse not fall?",
        "4 °C",
    ),
    Fact(
        "The old bicycle frame has the serial number WB7741K underneath.",
        "What is the serial number of the old bicycle frame?",
        "WB7741K",
    ),
    Fact(
        "Our insurance covers water damage up to 25,000 but no floods.",
        "Up to how much does our insurance cover water damage?",
        "25,000",
    ),
    Fact(
        "The grant application has to be in by Thursday noon, Brussels time.",
        "By when does the grant application have to be in?",
        "Thursday noon",
    ),
    Fact(
        "I decided against the scholarship in Toronto, I am going to Utrecht.",
        "Where am I going instead of Toronto?",
        "Utrecht",
    ),
    Fact(
        "The backups go to the bucket cold-heron in Frankfurt, every six hours.",
        "Which bucket do the backups go to?",
        "cold-heron",
    ),
    Fact(
        "Call me Wren, nobody but the bank uses my full name.",
        "What should you call me?",
        "Wren",
    ),
    Fact(
        "The contract says that either side may leave with 90 days' notice.",
        "How much notice does the contract ask for?",
        "90 days",
    ),
    Fact(
        "The radio play is set on a lightship called Brigid's Mercy.",
        "What is the lightship in the radio play called?",
        "Brigid's Mercy",
    ),
    Fact(
        "Our neighbour Anselm feeds the cats while we are gone, he has the spare key.",
        "Who feeds the cats while we are gone?",
        "Anselm",
    ),
    Fact(
        "The rate limit of the partner's service is 40 requests a minute.",
        "What is the rate limit of the partner's service?",
        "40 requests",
    ),
    Fact(
        "I'd rather have short answers, three sentences at most unless I ask.",
        "How long do I want your answers to be?",
        "three sentences",
    ),
    Fact(
        "The chart in the annual report must be in teal, orange looks like the competitor.",
        "Which colour must the chart in the annual report have?",
        "teal",
    ),
    Fact(
        "Marking rows as deleted instead of removing them was agreed for the audit tables.",
        "What was agreed for rows of the audit tables?",
        "as deleted instead of removing",
        MODEL,
    ),
    Fact(
        "The recipe makes eleven pancakes with 240 ml of buttermilk.",
        "How much buttermilk does the pancake recipe take?",
        "240 ml",
    ),
    Fact(
        "The stone circle we want to see is near Callanish, on the west side of the island.",
        "Near which place is the stone circle that we want to see?",
        "Callanish",
    ),
    Fact(
        "The deploy freeze begins on 18 December and lifts after Epiphany.",
        "When does the deploy freeze begin?",
        "18 December",
    ),
]

SUBJECTS = [
    "database indexes", "bread", "the allotment", "TypeScript generics", "sleeping badly", "the choir",
    "train journeys", "error budgets", "watercolours", "the tax return", "a birthday party", "log rotation",
    "job interviews", "old bicycles", "code review", "Portuguese verbs", "the office move", "board games",
    "unit tests", "indoor plants", "a podcast", "feature flags", "running shoes", "the school play",
    "backups", "the reading group", "container images", "roof insulation", "release notes", "chess openings",
]  # fmt: skip
QUESTIONS = [
    "How would you start with {a}?",
    "I read something about {a} again. Is it worth the trouble?",
    "What is the difference between {a} and {b}?",
    "Could you explain {a} as if I knew nothing about it?",
    "Somebody at work keeps talking about {a}. What do people usually get wrong?",
    "I have about {n} minutes for {a} today. What should I do first?",
    "Thanks! And what about {b}?",
    "Give me three ideas for {a}, please.",
    "Is there a good book on {a}?",
    "Yesterday {a} went surprisingly well. What comes next?",
    "Hm, I am not convinced about {a}. Convince me.",
    "Which is harder, {a} or {b}?",
    "ok and how long does {a} take?",
    "Can {a} and {b} be combined somehow?",
]
OPENINGS = [
    "Good question.", "There are a few ways to look at {a}.", "It depends on what you want from {a}.",
    "Short answer: yes, but slowly.", "Most people begin with the wrong end of {a}.", "Sure!",
    "That is a common worry with {a}.", "Let us take {a} step by step.",
]  # fmt: skip
ADVICE = [
    "Begin with something that takes less than {n} minutes and stop before you are tired of it.",
    "Around {m} % of the effort goes into preparation, which nobody sees.",
    "Write down what you expect before you look at the result.",
    "A study from {y} found hardly any difference after {n} weeks.",
    "If {b} gets in the way, leave it for another day.",
    "People who combine it with {b} tend to stay with it longer.",
    "You need a quiet hour, some paper, and a way to undo mistakes.",
    "The usual defaults are fine; change one thing at a time.",
    "Many tutorials use port 8080 or 3000 for such experiments, which is only a habit.",
    "Expect to pay between {n} and {m} euros for something decent.",
    "In my experience the second attempt is the one that teaches most.",
    "Avoid doing it on a Friday afternoon.",
    "Ask a friend to look at it after {n} days, when you no longer see the flaws yourself.",
    "There is a good introduction at https://example.com/{y}/{n} if you want to read more.",
    "Version {n}.{k} changed the names of some options, so older articles can mislead.",
    "Keep a list of what worked; it grows faster than you think.",
    "The trick is to make the first step so small that refusing it would be silly.",
    "Nothing about {a} is urgent, even when it feels that way.",
    "Compare it with {b}: both reward patience more than talent.",
    "If it fails, it fails early, and that is the cheap kind of failure.",
]
LISTS = [
    "- Decide what *done* means\n- Take {n} minutes a day\n- Look back every {k} weeks",
    "1. Clear the table\n2. Try the smallest version of {a}\n3. Show it to somebody\n4. Repeat {k} times",
    "```python\nfor step in range({n}):\n    practise(step, pause={k})\n```",
    "| what | how long |\n|---|---|\n| {a} | {n} min |\n| {b} | {m} min |",
]
CLOSINGS = ["", "", "Let me know how it goes!", "Shall I say more about {b}?", "Does that help?"]


@dataclass(frozen=True)
class Spoken:
    """One round: what was asked, what was answered, and the fact in it."""

    question: str
    answer: str
    fact: Fact | None = None


def talk(*, rounds: int, facts: list[Fact], seed: int = 7, last: int = 15) -> list[Spoken]:
    """Return a long conversation; the last rounds, which every prompt shows, hold no fact."""
    chance = Random(seed)
    places = dict(zip(sorted(chance.sample(range(rounds - last), len(facts))), facts, strict=True))
    return [spoken(chance, places.get(number)) for number in range(rounds)]


def spoken(chance: Random, fact: Fact | None) -> Spoken:
    """Return one round of small talk with a fact in it, if there is one."""
    a, b = chance.sample(SUBJECTS, 2)
    figures = {"n": chance.randint(5, 60), "m": chance.randint(61, 99), "k": chance.randint(2, 9)}
    filled = {"a": a, "b": b, "y": chance.randint(1987, 2025), **figures}
    question = chance.choice(QUESTIONS).format(**filled)
    answer = "\n\n".join(part.format(**filled) for part in answered(chance))
    if fact and fact.by == MODEL:
        answer = f"{fact.said} {answer}"
    elif fact:
        question = f"{fact.said} {question}" if chance.random() < 0.5 else f"{question} {fact.said}"
    return Spoken(question, answer, fact)


def answered(chance: Random) -> Iterator[str]:
    """Yield the paragraphs of an answer."""
    yield f"{chance.choice(OPENINGS)} {' '.join(chance.sample(ADVICE, chance.randint(2, 4)))}"
    if chance.random() < 0.4:
        yield chance.choice(LISTS)
    yield f"{' '.join(chance.sample(ADVICE, 2))} {chance.choice(CLOSINGS)}".strip()
