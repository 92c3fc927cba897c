"""`python -m evals`: fill a server, search it in every way, and show how much was found."""

import argparse
import json
import sys
import tempfile
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter

from rich.console import Console

from evals import tuning
from evals.baseline import Bm25, file_hits, message_hits
from evals.conversations import conversations
from evals.corpus import CorpusFile, corpus_files, thinned
from evals.floors import floors
from evals.metrics import Hit, score
from evals.progress import Progress
from evals.queries import Query, a_third, files_named, queries
from evals.report import show, show_changes, show_floors
from evals.results import SYSTEMS, Judged, Results
from evals.server import Project, project_in
from tertulia.core.clock import now
from tertulia.retrieval.query_parser import parse_query

Search = Callable[[str], Sequence[Hit]]
#: The ways of searching that weights decide.
FUSED = ("hybrid", "reranked")
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
    if options.baseline:
        results = run_baseline(asked, files, progress)
    else:
        with place_for(options) as place:
            results = run_on_server(asked, files, progress, place, tune=options.tune)
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
    asked: Sequence[Query], files: Sequence[CorpusFile], progress: Progress, place: Path, *, tune: bool
) -> Results:
    """Fill a new server, and search it in every way."""
    with project_in(place) as project:
        indexed = fill(project, files, progress)
        judged = {
            name: judge(asked, lambda text, parts=parts: project.search(text, parts=parts), progress, name)
            for name, parts in SYSTEMS.items()
        }
        if tune:
            show_tuned(project, asked, progress)
    return Results(judged, len(files), messages(), indexed)


def fill(project: Project, files: Sequence[CorpusFile], progress: Progress) -> int:
    """Put files and conversations into a project, unless they are there; return how many chunks it has."""
    if project.is_empty():
        for done in project.upload(files):
            progress.tell("uploading files", done, len(files))
        for one in progress.track(conversations(), "importing conversations"):
            project.import_conversation(one)
    chunks = 0
    for so_far in project.indexing():
        chunks = so_far.chunks
        progress.tell(f"chunks ({so_far.failed} texts failed)", so_far.done, so_far.chunks)
    return chunks


def judge(asked: Sequence[Query], search: Search, progress: Progress, name: str) -> list[Judged]:
    """Search for every query, and score what is found."""
    judged: list[Judged] = []
    for one in progress.track(asked, name):
        began = perf_counter()
        hits = search(one.query)
        judged.append(Judged(one, score(one, hits), perf_counter() - began))
    return judged


def show_tuned(project: Project, asked: Sequence[Query], progress: Progress) -> None:
    """Look for weights that find more, and say what they are worth on queries they were not chosen by."""
    pools = [
        tuning.pool_of(
            one,
            project.search(one.query, parts=None, limit=tuning.DEPTH),
            order_wanted=bool(parse_query(one.query, today=now()).newest),
        )
        for one in progress.track(asked, "candidates for tuning")
    ]
    found = [tuning.Scheme()]
    for better in tuning.tune(pools):
        progress.tell("rounds of tuning", len(found), tuning.ROUNDS)
        found.append(better)
    best = found[-1]
    show_changes({name: tuning.changes(pools, best, rerank=name == "reranked") for name in FUSED}, Console())
    Console().print(tuning.written(best), highlight=False, soft_wrap=True)


def run_baseline(asked: Sequence[Query], files: Sequence[CorpusFile], progress: Progress) -> Results:
    """Search without a server, by words alone."""
    index = Bm25()
    for one in progress.track(files, "reading files"):
        index.add(file_hits(one))
    for said in conversations():
        index.add(message_hits(said))
    judged = judge(asked, index.search, progress, "bm25")
    return Results({"bm25": judged}, len(files), messages(), len(index.hits))


def messages() -> int:
    """Return how many messages the conversations have."""
    return sum(len(one.messages()) for one in conversations())


if __name__ == "__main__":
    sys.exit(main())
