"""Showing what was measured: a table for people, JSON for programs."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import msgspec
from rich.console import Console
from rich.table import Table

from bench.figures import Measure, Point

COLOURS = {"ok": "green", "over": "red", "": "dim"}


def show(measures: Sequence[Measure], console: Console) -> None:
    """Print figures as a table."""
    table = Table(expand=False)
    for heading in ("", "value", "grows", "aim", ""):
        table.add_column(heading, overflow="fold")
    about = ""
    for measure in measures:
        if measure.about != about:
            about = measure.about
            table.add_section()
            table.add_row(f"[bold]{about}[/bold]")
        table.add_row(
            f"  {measure.what}" + (f" [dim]{measure.note}[/dim]" if measure.note else ""),
            "   ".join(shown(point, measure) for point in measure.points) + f" {measure.unit}",
            f"x {measure.growth:.2f}" if measure.growth is not None else "",
            aims(measure),
            f"[{COLOURS[measure.verdict]}]{measure.verdict}[/]",
        )
    console.print(table)


def shown(point: Point, measure: Measure) -> str:
    """Write one figure with the size it was measured at."""
    value = f"{point.value:,.{measure.digits}f}"
    coloured = f"[red]{value}[/red]" if point.over else f"[bold]{value}[/bold]"
    return f"[dim]{point.at}:[/dim] {coloured}" if point.at else coloured


def aims(measure: Measure) -> str:
    """Write what the figures should be."""
    wanted = [point for point in measure.points if point.aim is not None]
    return "   ".join(f"{point.at}{': ' if point.at else ''}≤ {point.aim:g}" for point in wanted)


def write_json(measures: Sequence[Measure], path: Path) -> None:
    """Write all figures where a program can read them."""
    rows = [asdict(measure) | {"verdict": measure.verdict} for measure in measures]
    path.write_bytes(msgspec.json.format(msgspec.json.encode(rows)) + b"\n")
