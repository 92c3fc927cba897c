"""Showing results: a table for people, with a bar for the figure that decides."""

from collections.abc import Mapping, Sequence
from dataclasses import astuple

from rich.console import Console
from rich.table import Table

from evals.floors import Floor
from evals.queries import KINDS, Half
from evals.results import ALL, Results
from evals.tuning import Change

COLUMNS = ("nDCG@5", "nDCG@10", "recall@1", "recall@5", "recall@10", "MRR")
BAR = 20
ADVICE = "Weights were chosen by the half to tune on: believe the half to report, beyond its ±."
EIGHTHS = " ▏▎▍▌▋▊▉"


def show(results: Results, console: Console) -> None:
    """Print the tables of both halves, and how long searching took."""
    console.print(
        f"{results.files} files and {results.messages} messages in {results.indexed} chunks; "
        f"{len(next(iter(results.judged.values())))} queries"
    )
    for half in (Half.TUNE, Half.REPORT):
        console.print(table(results, half))
    for system in results.judged:
        median, p95 = results.milliseconds(system)
        console.print(f"{system:>9}: {median:6.1f} ms at the median, {p95:6.1f} ms at the 95th percentile")


def show_floors(held: Sequence[Floor], console: Console) -> None:
    """Say of each floor whether it is reached."""
    for one in held:
        console.print(str(one), highlight=False)


def show_changes(found: Mapping[Half, Change], console: Console) -> None:
    """Say what new weights do to each half, and whether that may be chance."""
    for half, one in found.items():
        console.print(
            f"the half to {half:<6}: nDCG@10 {one.before:.3f} -> {one.after:.3f} "
            f"({one.after - one.before:+.3f} ± {one.doubt:.3f}; of {one.queries} queries "
            f"{one.better} better, {one.worse} worse)",
            highlight=False,
            soft_wrap=True,
        )
    console.print(ADVICE, soft_wrap=True)


def table(results: Results, half: Half) -> Table:
    """Return the means on one half: all kinds together, then each by itself."""
    made = Table(title=f"The half to {half}", title_justify="left")
    made.add_column("kind")
    made.add_column("search")
    for name in COLUMNS:
        made.add_column(name, justify="right")
    made.add_column("nDCG@10")
    for kind in (ALL, *KINDS):
        add_rows(made, results, half, kind)
    return made


def add_rows(made: Table, results: Results, half: Half, kind: str) -> None:
    """Add a row for each way of searching."""
    rows = [(system, results.means(system, half=half, kind=kind)) for system in results.judged]
    for number, (system, scores) in enumerate((name, found) for name, found in rows if found):
        figures = (f"{value:.3f}" for value in astuple(scores))
        made.add_row("" if number else kind, system, *figures, bar(scores.ndcg10))
    made.add_section()


def bar(share: float) -> str:
    """Return a share of one as a bar."""
    eighths = round(share * BAR * 8)
    return ("█" * (eighths // 8) + EIGHTHS[eighths % 8]).rstrip()
