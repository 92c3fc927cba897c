"""Report how well days and times in words are read: `python -m evals.dates [--errors]`."""

import sys

from rich.console import Console

from evals.dates.labelled_sets import SET_NAMES, Outcome, read_set


def main() -> None:
    """Print the accuracy for each set, and with `--errors` what was read wrong."""
    console = Console(markup=False, soft_wrap=True)
    for name in SET_NAMES:
        outcomes = read_set(name)
        console.print(f"{name}: {describe(outcomes)}")
        if "--errors" in sys.argv:
            for outcome in outcomes:
                if not outcome.has_right_time:
                    said, meant = outcome.expression.text, outcome.expression.label
                    console.print(f"  {said!r}: meant {meant}, read {outcome.read}")


def describe(outcomes: list[Outcome]) -> str:
    """Return the accuracy of a set in one line."""
    days = sum(outcome.has_right_day for outcome in outcomes)
    timed = [outcome for outcome in outcomes if outcome.is_timed]
    times = sum(outcome.has_right_time for outcome in timed)
    return (
        f"{len(outcomes)} expressions, days right {days / max(1, len(outcomes)):.1%}, "
        f"times right {times / max(1, len(timed)):.1%} of {len(timed)}"
    )


if __name__ == "__main__":
    main()
