"""How much one run does: enough to trust the ratios, little enough to be done in minutes.

A reply is 150 tokens, three seconds at the provider's pace, and the streams of a load are
started over four seconds: so at 200 streams fifty questions a second are asked, and up to
seven and a half thousand tokens arrive.
"""

from dataclasses import dataclass

#: Every token of the scripted reply has this word once, so that tokens can be counted without parsing.
MARK = b"tick"
MODEL = "scripted-fast"
#: Says one word and then nothing until the provider is told to go on.
PAUSING_MODEL = "scripted-pausing"
FIRST_TOKEN_SECONDS = 0.05
TOKENS_PER_SECOND = 50
#: Over how long the streams of one load are started.
RAMP_SECONDS = 4.0
#: How many people ask: one alone may not follow hundreds of streams, nor twenty a thousand.
PEOPLE = 40


@dataclass(frozen=True, slots=True)
class Plan:
    """Counts and sizes of one run."""

    #: How many streams are open at once, and how many each client opens one after the other.
    streams: tuple[tuple[int, int], ...]
    #: How many turns are opened, each by a client of its own, and how many each opens one after the other.
    turns: tuple[tuple[int, int], ...]
    #: How many streams begin in the same instant.
    bursts: tuple[int, ...]
    tokens: int
    starts: int
    opens: int
    #: How often a browser opens a conversation.
    reloads: int
    long_conversation: int
    conversations: int
    commit_seconds: float
    #: How many chunks a project has that is searched, and how often.
    chunks: tuple[int, ...]
    queries: int
    #: How many messages a conversation has and how many files its project, and how often a prompt is made.
    talks: tuple[tuple[int, int], ...]
    prompts: int
    #: How often code is run, and how often at once.
    runs: int
    runs_at_once: int
    #: How long others are watched beside a load, how often it is sent, and how many routes strangers try.
    neighbour_seconds: float
    neighbour_every: tuple[float, ...]
    strangers: int
    #: How many streams are open at once on each engine, and over how many processes they are spread.
    engine_streams: tuple[int, ...]
    spread_streams: tuple[int, ...]
    spread_processes: tuple[int, ...]


FULL = Plan(
    streams=((1, 3), (50, 1), (200, 1), (500, 1)),
    turns=((1, 30), (50, 1), (200, 1), (500, 1)),
    bursts=(50, 200),
    tokens=150,
    starts=5,
    opens=200,
    reloads=7,
    long_conversation=10_000,
    conversations=10_000,
    commit_seconds=1.5,
    chunks=(10_000, 100_000, 1_000_000),
    queries=200,
    talks=((100, 10), (1_000, 100), (10_000, 1_000)),
    prompts=200,
    runs=40,
    runs_at_once=100,
    neighbour_seconds=6.0,
    neighbour_every=(1.0, 0.0),
    strangers=4,
    engine_streams=(1, 50, 200),
    spread_streams=(200, 500, 1000),
    spread_processes=(1, 2, 4),
)
QUICK = Plan(
    streams=((1, 3), (50, 1)),
    turns=((1, 30), (50, 1)),
    bursts=(),
    tokens=150,
    starts=1,
    opens=40,
    reloads=3,
    long_conversation=10_000,
    conversations=10_000,
    commit_seconds=0.3,
    chunks=(10_000,),
    queries=50,
    talks=((100, 10), (10_000, 1_000)),
    prompts=50,
    runs=10,
    runs_at_once=20,
    neighbour_seconds=3.0,
    neighbour_every=(1.0,),
    strangers=1,
    engine_streams=(1, 50),
    spread_streams=(50,),
    spread_processes=(1, 2),
)
