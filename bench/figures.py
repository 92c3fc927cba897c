"""What was measured: figures at one size or several, and what they should be."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import median, quantiles


@dataclass(frozen=True, slots=True)
class Point:
    """One figure at one size; an aim is the most it may be."""

    at: str
    value: float
    aim: float | None = None

    @property
    def over(self) -> bool:
        """Tell whether the figure is worse than it should be."""
        return self.aim is not None and self.value > self.aim


@dataclass(frozen=True, slots=True)
class Measure:
    """One kind of figure, and how it grows from point to point."""

    about: str
    what: str
    unit: str
    points: Sequence[Point]
    note: str = ""
    digits: int = 1
    growth: float | None = field(init=False)

    def __post_init__(self) -> None:
        first, last = self.points[0].value, self.points[-1].value
        object.__setattr__(self, "growth", last / first if len(self.points) > 1 and first > 0 else None)

    @property
    def verdict(self) -> str:
        """Say whether all is as it should be; nothing where nobody said."""
        if all(point.aim is None for point in self.points):
            return ""
        return "over" if any(point.over for point in self.points) else "ok"


def single(
    about: str,
    what: str,
    unit: str,
    value: float,
    *,
    aim: float | None = None,
    note: str = "",
    digits: int = 1,
) -> Measure:
    """Return a measure of one figure."""
    return Measure(about, what, unit, [Point("", value, aim)], note, digits)


def p95(values: Sequence[float]) -> float:
    """Return what nineteen of twenty stay under."""
    return quantiles(values, n=20, method="inclusive")[-1] if len(values) > 1 else values[0]


def milliseconds(values: Sequence[float]) -> tuple[float, float]:
    """Return the median and the 95th percentile of seconds, in milliseconds."""
    return median(values) * 1000, p95(values) * 1000
