"""`python -m evals`: fill a server, search it in every way, and show how much was found."""

import argparse
import json
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from time import perf_counter

from rich.console import Console

from evals import tuning
from evals.baseline import Bm25, file_hits, message_hits
from evals.conversations import conversations
from evals.corpus import corpus_files
from evals.metrics import Hit, score
from evals.progress import Progress
from evals.queries import Query, a_third, queries
from evals.report import show
from evals.results import SYSTEMS, Judged, Results
from evals.server import Project, project_in

Search = Callable[[str], Sequence[Hit]]


def main() -> None:
    """Run what the command line asks for."""
    options = parsed()
    asked = a_third(queries()) if options.quick else queries()
    if options.baseline:
        results = run_baseline(asked, Progress())
    elif options.keep:
        results = run_on_server(asked, Progress(), Path(options.keep), tune=options.tune)
    else:
        with tempfile.TemporaryDirectory(prefix="tertulia-evals-") as place:
            results = run_on_server(asked, Progress(), Path(place), tune=options.tune)
    if options.json:
        Path(options.json).write_text(json.dumps(results.as_json(), indent=1) + "\n")
    show(results, Console(width=120))


def parsed() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m evals", description="Measure how well search finds.")
    parser.add_argument("--quick", action="store_true", help="a third of the queries")
    parser.add_argument("--json", metavar="FILE", help="write all scores there too")
    parser.add_argument("--keep", metavar="FOLDER", help="keep the indexed server there, and use it again")
    parser.add_argument("--tune", action="store_true", help="look for better weights on the one half")
    parser.add_argument("--baseline", action="store_true", help="plain BM25 without a server, to compare")
    return parser.parse_args()


def run_on_server(asked: Sequence[Query], progress: Progress, place: Path, *, tune: bool) -> Results:
    """Fill a new server, and search it in every way."""
    with project_in(place) as project:
        indexed = fill(project, progress)
        judged = {
            name: judge(asked, lambda text, parts=parts: project.search(text, parts=parts), progress, name)
            for name, parts in SYSTEMS.items()
        }
        if tune:
            show_tuned(project, asked, progress)
    return Results(judged, len(corpus_files()), messages(), indexed)


def fill(project: Project, progress: Progress) -> int:
    """Put files and conversations into a project, unless they are there; return how many chunks it has."""
    if project.is_empty():
        for done in project.upload(corpus_files()):
            progress.tell("uploading files", done, len(corpus_files()))
        for one in progress.track(conversations(), "importing conversations"):
            project.import_conversation(one)
    chunks = 0
    for now in project.indexing():
        chunks = now.chunks
        progress.tell(f"indexing ({now.failed} failed)", now.settled, now.total)
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
    """Say which weights find most, and what they are worth on queries that they were not chosen by."""
    found = {
        one: {part: project.search(one.query, parts=[part], limit=tuning.DEPTH) for part in tuning.PARTS}
        for one in progress.track(asked, "candidates for tuning")
    }
    best = tuning.tune(found, fuse=tuning.weighted_sum)
    for half, scores in best.scores.items():
        Console().print(f"{dict(best.weights)}: nDCG@10 {scores.ndcg10:.3f} on the half to {half}")


def run_baseline(asked: Sequence[Query], progress: Progress) -> Results:
    """Search without a server, by words alone."""
    index = Bm25()
    for one in progress.track(corpus_files(), "reading files"):
        index.add(file_hits(one))
    for said in conversations():
        index.add(message_hits(said))
    judged = judge(asked, index.search, progress, "bm25")
    return Results({"bm25": judged}, len(corpus_files()), messages(), len(index.hits))


def messages() -> int:
    """Return how many messages the conversations have."""
    return sum(len(one.messages()) for one in conversations())


if __name__ == "__main__":
    main()
