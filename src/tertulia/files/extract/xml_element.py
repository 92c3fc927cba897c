"""What is used of an element of lxml, which has no types of its own."""

from collections.abc import Iterator
from typing import Protocol


class XmlElement(Protocol):
    """An element of a document in XML."""

    @property
    def tag(self) -> str:
        """Return its name, with the namespace in braces."""
        ...

    @property
    def text(self) -> str | None:
        """Return the text before its first child."""
        ...

    def get(self, key: str) -> str | None:
        """Return an attribute, if it is set."""
        ...

    def find(self, path: str) -> "XmlElement | None":
        """Return the first child of a name."""
        ...

    def iter(self, tag: str) -> Iterator["XmlElement"]:
        """Yield every element of a name below this one, in the order of the document."""
        ...

    def iterchildren(self, tag: str | None = None) -> Iterator["XmlElement"]:
        """Yield the children, or those of a name."""
        ...
