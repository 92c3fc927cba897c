"""The marks before the items of a Word document's lists: bullets and running numbers."""

from dataclasses import dataclass, field
from typing import Any, Self

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
NUMBERING = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/numbering"
DEEPEST = 8
Place = tuple[str, int]


@dataclass(slots=True)
class Lists:
    """Counts the items of every list while the document is read."""

    bulleted: dict[Place, bool]
    by_style: dict[str, str]
    counts: dict[Place, int] = field(default_factory=dict[Place, int])

    @classmethod
    def of(cls, document: Any) -> Self:
        """Read how the document's lists are marked."""
        styles = document.styles.element.iterchildren(f"{W}style")
        numbered = {style.get(f"{W}styleId") or "": number_of(style) for style in styles}
        return cls(bullets(document), {style: number for style, number in numbered.items() if number})

    def mark(self, paragraph: Any) -> str:
        """Return what stands before this item, or nothing when the paragraph is none."""
        properties = paragraph.find(f"{W}pPr")
        number = number_of(paragraph) or self.by_style.get(first(properties, "pStyle"), "")
        if not number or number == "0":
            return ""
        level = level_in(properties)
        count = self._next(number, level)
        bullet = self.bulleted.get((number, level), True)
        return f"{'  ' * level}{'-' if bullet else f'{count}.'} "

    def _next(self, number: str, level: int) -> int:
        """Count one item, and begin anew below it."""
        for deeper in range(level + 1, DEEPEST + 1):
            self.counts.pop((number, deeper), None)
        self.counts[number, level] = self.counts.get((number, level), 0) + 1
        return self.counts[number, level]


def bullets(document: Any) -> dict[Place, bool]:
    """Return which levels of which lists have bullets instead of numbers."""
    try:
        root = document.part.part_related_by(NUMBERING).element
    except (KeyError, AttributeError):
        return {}
    abstract = {item.get(f"{W}abstractNumId"): levels(item) for item in root.iterchildren(f"{W}abstractNum")}
    return {
        (item.get(f"{W}numId") or "", level): bullet
        for item in root.iterchildren(f"{W}num")
        for level, bullet in abstract.get(first(item, "abstractNumId"), {}).items()
    }


def levels(abstract: Any) -> dict[int, bool]:
    """Return for each level of a list whether it has bullets."""
    return {
        int(level.get(f"{W}ilvl") or 0): first(level, "numFmt") in {"bullet", "none"}
        for level in abstract.iterchildren(f"{W}lvl")
    }


def number_of(element: Any) -> str:
    """Return the number of the list that a paragraph or style belongs to."""
    properties = element.find(f"{W}pPr")
    return "" if properties is None else first(properties.find(f"{W}numPr"), "numId")


def level_in(properties: Any) -> int:
    """Return how deep in its list an item stands."""
    numbered = None if properties is None else properties.find(f"{W}numPr")
    level = first(numbered, "ilvl")
    return min(int(level), DEEPEST) if level.isdigit() else 0


def first(parent: Any, name: str) -> str:
    """Return the value of a child element, or nothing."""
    child = None if parent is None else parent.find(f"{W}{name}")
    return "" if child is None else child.get(f"{W}val") or ""
