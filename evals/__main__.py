"""`python -m evals`: fill a server, search it in every way, and show how much was found."""

import argparse
import json
import sys
import tempfile
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter

from rich.console import Console

from evals import tuning
from evals.baseline import Bm25, file_hits, message_hits
from evals.collections import Collection, collections
from evals.corpus import corpus_files, thinned
from evals.floors import floors
from evals.metrics import Hit, score
from evals.progress import Progress
from evals.queries import Query, a_third, files_named, queries
from evals.report import show, show_changes, show_floors
from evals.results import EXPANDED, SYSTEMS, Judged, Results
from evals.server import Project, projects_in
from tertulia.retrieval.signal_weights import LEARNED_SCHEME

Search = Callable[[Query], Sequence[Hit]]
QUICK = (
    "A quick look: every third query, among the files that labels need and a third of the rest. "
    "There is less to be mistaken for an answer, so compare it with other quick runs only."
)


def main() -> int:
    """Run what the command line asks for; return the exit code."""
    options = parsed()
    progress, console = Progress(), Console(width=120)
    asked = a_third(queries()) if options.quick else queries()
    files = thinned(corpus_files(), needed=files_named(queries())) if options.quick else corpus_files()
    searched = collections(files)
    if options.baseline:
        results = run_baseline(asked, searched, progress)
    else:
        with place_for(options) as place:
            results = run_on_server(asked, searched, progress, place, tune=options.tune)
    if options.json:
        Path(options.json).write_text(json.dumps(results.as_json(), indent=1) + "\n")
    if options.quick:
        console.print(QUICK)
    show(results, console)
    held = floors(results)
    show_floors(held, console)
    return int(options.floors and not all(one.holds for one in held))


def parsed() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m evals", description="Measure how well search finds.")
    parser.add_argument("--quick", action="store_true", help="a third of the queries, among fewer files")
    parser.add_argument("--json", metavar="FILE", help="write all scores there too")
    parser.add_argument("--keep", metavar="FOLDER", help="keep the indexed server there, and use it again")
    parser.add_argument("--tune", action="store_true", help="look for better weights on the one half")
    parser.add_argument("--floors", action="store_true", help="exit with 1 when a floor is not reached")
    parser.add_argument("--baseline", action="store_true", help="plain BM25 without a server, to compare")
    return parser.parse_args()


@contextmanager
def place_for(options: argparse.Namespace) -> Generator[Path]:
    """Give the folder of the server; a quick run keeps another one, since it has fewer files."""
    if options.keep:
        yield Path(options.keep) / "quick" if options.quick else Path(options.keep)
        return
    with tempfile.TemporaryDirectory(prefix="tertulia-evals-") as place:
        yield Path(place)


def run_on_server(
    asked: Sequence[Query], searched: Sequence[Collection], progress: Progress, place: Path, *, tune: bool
) -> Results:
    """Fill a new server, and search it in every way."""
    with projects_in(place, [collection.name for collection in searched]) as projects:
        indexed = sum(fill(projects[collection.name], collection, progress) for collection in searched)
        judged = {
            name: judge(
                asked,
                lambda query, parts=parts: projects[query.collection].search(query.query, parts=parts),
                progress,
                name,
            )
            for name, parts in SYSTEMS.items()
        }
        judged[EXPANDED] = judge_expanded(asked, projects, progress)
        if tune:
            show_tuned(projects, asked, progress)
    return Results(judged, *measure(searched), indexed)


def judge_expanded(
    asked: Sequence[Query], projects: Mapping[str, Project], progress: Progress
) -> list[Judged]:
    """Search with queries that a utility model expands."""
    every = next(iter(projects.values()))
    every.set_expansion(on=True)
    try:
        return judge(
            asked,
            lambda query: projects[query.collection].search(query.query, parts=None, expand=True),
            progress,
            EXPANDED,
        )
    finally:
        every.set_expansion(on=False)


def fill(project: Project, collection: Collection, progress: Progress) -> int:
    """Put a collection into a project, unless it is there; return how many chunks it has."""
    if project.is_empty():
        for done in project.upload(collection.files):
            progress.tell("uploading files", done, len(collection.files))
        for one in progress.track(collection.conversations, "importing conversations"):
            project.import_conversation(one)
    chunks = 0
    for so_far in project.indexing():
        chunks = so_far.chunks
        progress.tell(f"texts of {collection.name}", so_far.settled, so_far.total)
    return chunks


def judge(asked: Sequence[Query], search: Search, progress: Progress, name: str) -> list[Judged]:
    """Search for every query, and score what is found."""
    judged: list[Judged] = []
    for one in progress.track(asked, name):
        began = perf_counter()
        hits = search(one)
        judged.append(Judged(one, score(one, hits), perf_counter() - began))
    return judged


def show_tuned(projects: Mapping[str, Project], asked: Sequence[Query], progress: Progress) -> None:
    """Look for weights that find more, and say what they are worth on queries they were not chosen by."""
    pools = [
        tuning.pool_of(one, projects[one.collection].search(one.query, parts=None, limit=tuning.DEPTH))
        for one in progress.track([query for query in asked if query.gold], "candidates for tuning")
    ]
    found = [LEARNED_SCHEME]
    for better in tuning.tune(pools):
        progress.tell("rounds of tuning", len(found), tuning.ROUNDS)
        found.append(better)
    show_changes(tuning.changes(pools, found[-1]), Console())
    Console().print(tuning.written(found[-1]), highlight=False, soft_wrap=True)


def run_baseline(asked: Sequence[Query], searched: Sequence[Collection], progress: Progress) -> Results:
    """Search without a server, by words alone."""
    indexes = {collection.name: Bm25() for collection in searched}
    for collection in searched:
        for one in progress.track(collection.files, f"reading files of {collection.name}"):
            indexes[collection.name].add(file_hits(one))
        for said in collection.conversations:
            indexes[collection.name].add(message_hits(said))
    judged = judge(asked, lambda query: indexes[query.collection].search(query.query), progress, "bm25")
    return Results({"bm25": judged}, *measure(searched), sum(len(index.hits) for index in indexes.values()))


def measure(searched: Sequence[Collection]) -> tuple[int, int]:
    """Return how many files and how many messages collections have."""
    return sum(len(collection.files) for collection in searched), sum(
        collection.messages for collection in searched
    )


if __name__ == "__main__":
    sys.exit(main())
