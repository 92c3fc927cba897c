"""`python -m evals.memories`: find statements, tell what replaces what, and see that poison stays out."""

import argparse
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from time import perf_counter
from typing import TypeVar

from rich.console import Console
from rich.table import Table

from evals.memories.labelled_sets import LabelledMessage, read_messages, read_pairs, read_poisoned
from evals.memories.numbered_facts import NumberedFact, build_facts, replay_facts
from evals.memories.reworded_facts import build_reworded_facts
from tertulia.memories.domain import FoundStatement
from tertulia.memories.statement_rules import find_statements
from tertulia.memories.subjects import replaces

Found = TypeVar("Found")
#: Rules were tuned on the first three by now; the last was written after them and never tuned on.
HALVES = ("tune", "heldout", "fresh", "unseen")
#: Sets of pairs alone; rules were tuned on the second and fourth, and what follows each was read once after.
PAIRS_ALONE = ("preferences", "turns", "turns_later", "everyday", "everyday_later")
FACT_SEEDS = (1, 2, 3)
NEWEST_SHOWN_MIN, STALE_SHOWN_MAX = 0.97, 0.02
#: A statement is found when so much of it lies in what was found.
FOUND_SHARE_MIN = 0.5


@dataclass(slots=True)
class Score:
    """How much was found, and how much of it rightly."""

    right: int = 0
    false: int = 0
    missed: int = 0
    same_type: int = 0
    same_category: int = 0
    seconds: float = 0.0
    examples: list[str] = field(default_factory=list[str])

    @property
    def precision(self) -> float:
        """Return the share of what was found that is right."""
        return self.right / max(1, self.right + self.false)

    @property
    def recall(self) -> float:
        """Return the share of what is there that was found."""
        return self.right / max(1, self.right + self.missed)


def score_messages(half: str) -> Score:
    """Return how well the statements of a half are found."""
    score = Score()
    for message in read_messages(half):
        found, seconds = _time(lambda text=message.text: find_statements(text))
        score.seconds = max(score.seconds, seconds)
        _compare(score, message, found)
    return score


def score_pairs(half: str) -> Score:
    """Return how well it is told which statement replaces which."""
    score, pairs = Score(), read_pairs(half)
    for pair in pairs:
        found, seconds = _time(lambda pair=pair: replaces(pair.new, pair.old))
        score.seconds += seconds / len(pairs)
        score.right += found and pair.replaces
        score.false += found and not pair.replaces
        score.missed += pair.replaces and not found
        if found != pair.replaces:
            score.examples.append(f"{'missed' if pair.replaces else 'false'}: {pair.old} => {pair.new}")
    return score


def main() -> int:
    """Run all sets; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m evals.memories")
    parser.add_argument("--examples", action="store_true", help="print what is missed or false")
    asked = parser.parse_args()
    console = Console()
    table = Table("set", "half", "precision", "recall", "type", "category", "time")
    examples: list[str] = []
    for half in HALVES:
        messages, pairs = score_messages(half), score_pairs(half)
        examples += [*messages.examples, *pairs.examples]
        shares = [
            f"{count / max(1, messages.right):.3f}" for count in (messages.same_type, messages.same_category)
        ]
        slowest = f"{messages.seconds * 1e3:.1f} ms at most"
        table.add_row(
            "messages", half, f"{messages.precision:.3f}", f"{messages.recall:.3f}", *shares, slowest
        )
        average = f"{pairs.seconds * 1e6:.0f} µs on average, cold"
        table.add_row("pairs", half, f"{pairs.precision:.3f}", f"{pairs.recall:.3f}", "", "", average)
    for name in PAIRS_ALONE:
        changed = score_pairs(name)
        examples += changed.examples
        table.add_row("pairs", name, f"{changed.precision:.3f}", f"{changed.recall:.3f}")
    console.print(table)
    for line in examples if asked.examples else ():
        console.print(line, markup=False)
    return int(not all((_replay_lists(console), _try_poison(console))))


def _replay_lists(console: Console) -> bool:
    lists = {"numbered facts": build_facts, "reworded facts": build_reworded_facts}
    passed = [_replay_list(console, name, build) for name, build in lists.items()]
    return all(passed)


def _replay_list(console: Console, name: str, build: Callable[[int], list[NumberedFact]]) -> bool:
    outcomes = [replay_facts(build(seed)) for seed in FACT_SEEDS]
    newest = sum(run.newest_shown for run in outcomes) / sum(run.newest for run in outcomes)
    stale = sum(run.stale_shown for run in outcomes) / sum(run.stale for run in outcomes)
    seconds = sum(run.seconds for run in outcomes) / len(outcomes)
    console.print(f"{name}: newest shown {newest:.2%}, stale shown {stale:.2%}, {seconds:.2f} s a list")
    return newest >= NEWEST_SHOWN_MIN and stale <= STALE_SHOWN_MAX


def _try_poison(console: Console) -> bool:
    texts = read_poisoned()
    taken = [text for text in texts if find_statements(text)]
    console.print(
        f"poisoned texts: {len(taken)} of {len(texts)} gave something", *map(repr, taken), markup=False
    )
    return not taken


def _compare(score: Score, message: LabelledMessage, found: list[FoundStatement]) -> None:
    left = list(found)
    for span in message.spans:
        least = FOUND_SHARE_MIN * (span.end_char - span.start_char)
        hit = next(
            (statement for statement in left if _overlap(statement, span.start_char, span.end_char) >= least),
            None,
        )
        if hit is None:
            score.missed += 1
            score.examples.append(f"missed: {message.text[span.start_char : span.end_char]}")
            continue
        left.remove(hit)
        score.right += 1
        score.same_type += hit.type.value == span.type
        score.same_category += hit.category == span.category
    score.false += len(left)
    score.examples += [f"false: {statement.content}" for statement in left]


def _overlap(statement: FoundStatement, start: int, end: int) -> int:
    return min(end, statement.end_char) - max(start, statement.start_char)


def _time(call: Callable[[], Found]) -> tuple[Found, float]:
    began = perf_counter()
    return call(), perf_counter() - began


if __name__ == "__main__":
    sys.exit(main())
