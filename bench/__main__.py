"""`python -m bench`: measure, show, and say whether the aims are met."""

import argparse
import asyncio
import os
import sys
import tempfile
from collections.abc import Callable
from dataclasses import replace
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
from bench.seeding import seed_history, seed_person
from bench.speaking import Speaking

SHORT = 100
TOP = 45
Say = Callable[[str], None]


def measure(plan: Plan, place: Path, say: Say) -> list[Measure]:
    """Measure everything."""
    data_dir = place / "data"
    data_dir.mkdir()
    seeded = asyncio.run(seed_person(data_dir, mates=PEOPLE - 1))
    busy = single("This machine", "processes waiting for a core before the run", "", os.getloadavg()[0])
    with provider(plan.tokens) as provider_url:
        measures = [replace(busy, note=f"of {os.cpu_count()} cores: every figure below suffers from them")]
        measures += starting.measure(place, provider_url, times=plan.starts, say=say)
        with running(ServerUnderTest(data_dir, provider_url)) as server:
            measures += turn_opening.measure(plan, server, provider_url, seeded.tokens, say)
            measures += Speaking(plan, server, provider_url, seeded.tokens, say).measure()
        measures += engines.measure(plan, place, provider_url, say)
        say("storing")
        measures += storing.measure_growth(data_dir, place)
        measures += storing.measure_commits(place, seconds=plan.commit_seconds)
        say("opening: adding years of talk")
        history = seed_history(
            data_dir, seeded, messages=plan.long_conversation, conversations=plan.conversations
        )
        seeded = asyncio.run(history)
        say("opening")
        with running(ServerUnderTest(data_dir, provider_url)) as server:
            sizes = (SHORT, plan.long_conversation)
            measures += opening.measure(server, seeded, times=plan.opens, sizes=sizes)
            measures += web.measure(server, seeded, times=plan.reloads, sizes=sizes, say=say)
        measures += neighbours.measure(
            place,
            seconds=plan.neighbour_seconds,
            every=plan.neighbour_every,
            strangers=plan.strangers,
            say=say,
        )
        measures += context.measure(place, provider_url, sizes=plan.talks, times=plan.prompts, say=say)
        measures += free_slots.measure(place, times=plan.prompts, say=say)
        measures += sandbox.measure(place, times=plan.runs, at_once=plan.runs_at_once, say=say)
        measures += retrieval.measure(place, provider_url, sizes=plan.chunks, queries=plan.queries, say=say)
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
    parser.add_argument("--quick", action="store_true", help="less of everything, in some three minutes")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there, too")
    parser.add_argument("--profile", action="store_true", help="show where the time goes at 200 streams")
    parser.add_argument("--door", type=Door, default=Door.TURN, choices=list(Door), help="what to profile")
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
        measures = measure(plan, Path(folder), say)
    show(measures, console)
    console.print(f"All of it took {perf_counter() - began:.0f} s.", style="dim")
    if wanted.json:
        write_json(measures, wanted.json)
    over = any(measure.verdict == "over" for measure in measures)
    return 1 if over and wanted.strict else 0


if __name__ == "__main__":
    sys.exit(main())
