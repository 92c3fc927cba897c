"""`python -m bench`: measure, show, and say whether the aims are met."""

import argparse
import asyncio
import os
import sys
import tempfile
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from time import perf_counter

import msgspec
from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from bench import (
    context,
    engines,
    free_slots,
    neighbours,
    opening,
    retrieval,
    sandbox,
    starting,
    storing,
    turn_opening,
    web,
)
from bench.doors import Door
from bench.figures import Measure, single
from bench.plan import FULL, PEOPLE, QUICK, Plan
from bench.processes import ServerUnderTest, provider, running
from bench.report import show, write_json
from bench.sampling import Samples
from bench.seeding import Seeded, seed_history, seed_person
from bench.speaking import Speaking

SHORT = 100
TOP = 45
Say = Callable[[str], None]


class Bench:
    """What every section is given: how much to do, where, and the provider that answers."""

    def __init__(self, plan: Plan, place: Path, provider_url: str, say: Say) -> None:
        self.plan = plan
        self.place = place
        self.provider_url = provider_url
        self.say = say
        #: The data of the sections that ask one server.
        self.data_dir = place / "data"

    @cached_property
    def seeded(self) -> Seeded:
        """Return a person with their mates, made when first asked for."""
        self.data_dir.mkdir()
        return asyncio.run(seed_person(self.data_dir, mates=PEOPLE - 1))


def measure_turns(bench: Bench) -> list[Measure]:
    """Measure opening turns, hearing them, and what they leave on the disk."""
    plan, url, say, tokens = bench.plan, bench.provider_url, bench.say, bench.seeded.tokens
    with running(ServerUnderTest(bench.data_dir, url)) as server:
        measures = turn_opening.measure(plan, server, url, tokens, say)
        measures += Speaking(plan, server, url, tokens, say).measure()
    return measures + storing.measure_growth(bench.data_dir, bench.place)


def measure_opening(bench: Bench) -> list[Measure]:
    """Measure how conversations open after years of talk."""
    plan, say = bench.plan, bench.say
    say("opening: adding years of talk")
    history = seed_history(
        bench.data_dir, bench.seeded, messages=plan.long_conversation, conversations=plan.conversations
    )
    seeded = asyncio.run(history)
    say("opening")
    with running(ServerUnderTest(bench.data_dir, bench.provider_url)) as server:
        sizes = (SHORT, plan.long_conversation)
        measures = opening.measure(server, seeded, times=plan.opens, sizes=sizes)
        return measures + web.measure(server, seeded, times=plan.reloads, sizes=sizes, say=say)


def measure_neighbours(bench: Bench) -> list[Measure]:
    """Measure what somebody waits for beside the load of others."""
    plan = bench.plan
    return list(
        neighbours.measure(
            bench.place,
            seconds=plan.neighbour_seconds,
            every=plan.neighbour_every,
            strangers=plan.strangers,
            say=bench.say,
        )
    )


#: In the order in which they run.
SECTIONS: dict[str, Callable[[Bench], list[Measure]]] = {
    "starting": lambda it: starting.measure(it.place, it.provider_url, times=it.plan.starts, say=it.say),
    "turns": measure_turns,
    "engines": lambda it: engines.measure(it.plan, it.place, it.provider_url, it.say),
    "commits": lambda it: storing.measure_commits(it.place, seconds=it.plan.commit_seconds),
    "opening": measure_opening,
    "neighbours": measure_neighbours,
    "context": lambda it: context.measure(
        it.place, it.provider_url, sizes=it.plan.talks, times=it.plan.prompts, say=it.say
    ),
    "slots": lambda it: free_slots.measure(it.place, times=it.plan.prompts, say=it.say),
    "sandbox": lambda it: sandbox.measure(
        it.place, times=it.plan.runs, at_once=it.plan.runs_at_once, say=it.say
    ),
    "retrieval": lambda it: retrieval.measure(
        it.place, it.provider_url, sizes=it.plan.chunks, queries=it.plan.queries, say=it.say
    ),
}


def measure(plan: Plan, place: Path, say: Say, *, sections: Sequence[str], console: Console) -> list[Measure]:
    """Measure some sections, and show each as soon as it is done."""
    measures = [
        single(
            "This machine",
            "processes waiting for a core before the run",
            "",
            os.getloadavg()[0],
            note=f"of {os.cpu_count()} cores: every figure below suffers from them",
        )
    ]
    show(measures, console)
    with provider(plan.tokens) as provider_url:
        bench = Bench(plan, place, provider_url, say)
        for name in sections:
            measured = SECTIONS[name](bench)
            show(measured, console)
            measures += measured
    return measures


def profile(plan: Plan, place: Path, say: Say, *, door: Door) -> Samples:
    """Run the largest number of streams with a sampler in the server, and return what it saw."""
    data_dir, samples = place / "data", place / "samples.json"
    data_dir.mkdir()
    seeded = asyncio.run(seed_person(data_dir, mates=PEOPLE - 1))
    with provider(plan.tokens) as provider_url:
        server = ServerUnderTest(
            data_dir, provider_url, module="bench.sampling", env={"BENCH_SAMPLES": str(samples)}
        )
        with running(server):
            speaking = Speaking(plan, server, provider_url, seeded.tokens, say)
            speaking.play(door, clients=1, each=1)
            clients, each = plan.streams[-1]
            speaking.steady(door, clients, each)
    return msgspec.json.decode(samples.read_bytes(), type=Samples)


def show_samples(samples: Samples, console: Console) -> None:
    """Print the functions that were seen most."""
    for title, seen in (("working itself", samples.itself), ("with all it called", samples.within)):
        console.print(f"\n[bold]Seen {title}, of {samples.looks:,} looks[/bold]")
        for name, count in sorted(seen.items(), key=lambda item: -item[1])[:TOP]:
            console.print(f"{count:7,} {100 * count / samples.looks:5.1f} %  {name}", highlight=False)


def parsed() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="less of everything, in some five minutes")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there, too")
    parser.add_argument("--profile", action="store_true", help="show where the time goes at 200 streams")
    parser.add_argument("--door", type=Door, default=Door.TURN, choices=list(Door), help="what to profile")
    parser.add_argument(
        "--only", action="append", choices=list(SECTIONS), help="measure this section, or several"
    )
    parser.add_argument("--strict", action="store_true", help="fail when a figure misses its aim")
    return parser.parse_args()


def main() -> int:
    """Run it all and return the exit code."""
    wanted = parsed()
    plan = QUICK if wanted.quick else FULL
    console = Console(width=None if sys.stdout.isatty() else 150)
    began = perf_counter()
    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    progress = Progress(*columns, console=Console(stderr=True), transient=True)
    with tempfile.TemporaryDirectory(prefix="tertulia-bench-") as folder, progress:
        task = progress.add_task("starting", total=None)

        def say(what: str) -> None:
            progress.update(task, description=what)
            if not progress.console.is_terminal:
                progress.console.print(f"{perf_counter() - began:5.0f} s  {what}", highlight=False)

        if wanted.profile:
            show_samples(profile(plan, Path(folder), say, door=wanted.door), console)
            return 0
        sections = [name for name in SECTIONS if name in (wanted.only or SECTIONS)]
        measures = measure(plan, Path(folder), say, sections=sections, console=console)
    console.print(f"All of it took {perf_counter() - began:.0f} s.", style="dim")
    if wanted.json:
        write_json(measures, wanted.json)
    over = any(measure.verdict == "over" for measure in measures)
    return 1 if over and wanted.strict else 0


if __name__ == "__main__":
    sys.exit(main())
