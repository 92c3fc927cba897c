"""The marks before the items of a Word document's lists: bullets and running numbers."""

from dataclasses import dataclass, field
from typing import Any, Self

from tertulia.files.extract.xml_element import XmlElement

WORD_LIST_NAMESPACE = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
NUMBERING_RELATIONSHIP = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/numbering"
WORD_LIST_DEPTH_MAX = 8
ListLevel = tuple[str, int]


@dataclass(slots=True)
class WordLists:
    """Counts the items of every list while the document is read."""

    bulleted: dict[ListLevel, bool]
    by_style: dict[str, str]
    counts: dict[ListLevel, int] = field(default_factory=dict[ListLevel, int])

    @classmethod
    def of(cls, document: Any) -> Self:
        """Read how the document's lists are marked."""
        styles = document.styles.element.iterchildren(f"{WORD_LIST_NAMESPACE}style")
        numbered = {style.get(f"{WORD_LIST_NAMESPACE}styleId") or "": list_number(style) for style in styles}
        return cls(bulleted_levels(document), {style: number for style, number in numbered.items() if number})

    def item_mark(self, paragraph: XmlElement) -> str:
        """Return what stands before this item, or nothing when the paragraph is none."""
        properties = paragraph.find(f"{WORD_LIST_NAMESPACE}pPr")
        number = list_number(paragraph) or self.by_style.get(first_value(properties, "pStyle"), "")
        if not number or number == "0":
            return ""
        level = list_level(properties)
        count = self._count_item(number, level)
        bullet = self.bulleted.get((number, level), True)
        return f"{'  ' * level}{'-' if bullet else f'{count}.'} "

    def _count_item(self, number: str, level: int) -> int:
        """Count one item, and begin anew below it."""
        for deeper in range(level + 1, WORD_LIST_DEPTH_MAX + 1):
            self.counts.pop((number, deeper), None)
        self.counts[number, level] = self.counts.get((number, level), 0) + 1
        return self.counts[number, level]


def bulleted_levels(document: Any) -> dict[ListLevel, bool]:
    """Return which levels of which lists have bullets instead of numbers."""
    try:
        root: XmlElement = document.part.part_related_by(NUMBERING_RELATIONSHIP).element
    except (KeyError, AttributeError):
        return {}
    abstract = {
        item.get(f"{WORD_LIST_NAMESPACE}abstractNumId"): bullets_by_level(item)
        for item in root.iterchildren(f"{WORD_LIST_NAMESPACE}abstractNum")
    }
    return {
        (item.get(f"{WORD_LIST_NAMESPACE}numId") or "", level): bullet
        for item in root.iterchildren(f"{WORD_LIST_NAMESPACE}num")
        for level, bullet in abstract.get(first_value(item, "abstractNumId"), {}).items()
    }


def bullets_by_level(abstract: XmlElement) -> dict[int, bool]:
    """Return for each level of a list whether it has bullets."""
    return {
        int(level.get(f"{WORD_LIST_NAMESPACE}ilvl") or 0): first_value(level, "numFmt") in {"bullet", "none"}
        for level in abstract.iterchildren(f"{WORD_LIST_NAMESPACE}lvl")
    }


def list_number(element: XmlElement) -> str:
    """Return the number of the list that a paragraph or style belongs to."""
    properties = element.find(f"{WORD_LIST_NAMESPACE}pPr")
    return "" if properties is None else first_value(properties.find(f"{WORD_LIST_NAMESPACE}numPr"), "numId")


def list_level(properties: XmlElement | None) -> int:
    """Return how deep in its list an item stands."""
    numbered = None if properties is None else properties.find(f"{WORD_LIST_NAMESPACE}numPr")
    level = first_value(numbered, "ilvl")
    return min(int(level), WORD_LIST_DEPTH_MAX) if level.isdigit() else 0


def first_value(parent: XmlElement | None, name: str) -> str:
    """Return the value of a child element, or nothing."""
    child = None if parent is None else parent.find(f"{WORD_LIST_NAMESPACE}{name}")
    return "" if child is None else child.get(f"{WORD_LIST_NAMESPACE}val") or ""
