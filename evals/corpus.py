"""The files that are searched: this repository's and those of the packages it is locked to.

`corpus.txt` pins their names. What they say is read from the machine, so no text of others lives here.
"""

import sysconfig
from collections.abc import Sequence, Set
from dataclasses import dataclass
from functools import cache
from importlib.metadata import metadata
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).parent.parent
LIST = Path(__file__).parent / "corpus.txt"
PACKAGES = "packages/"
README = "README"
#: Of what no label needs, a quick run takes one in so many.
THINNED = 3


@dataclass(frozen=True, slots=True)
class CorpusFile:
    """A file to be searched, under the path that it is uploaded as."""

    path: str
    content: str


@cache
def corpus_files() -> tuple[CorpusFile, ...]:
    """Return the files of the pinned list, in its order, without those of ours that are gone."""
    return tuple(
        CorpusFile(uploaded_as(name), content)
        for name in LIST.read_text().split()
        if (content := content_of(name)) is not None
    )


def thinned(files: Sequence[CorpusFile], *, needed: Set[str]) -> tuple[CorpusFile, ...]:
    """Return the files that labels need, and a third of the rest to find them among."""
    rest = [one.path for one in files if one.path not in needed]
    kept = needed | set(rest[::THINNED])
    return tuple(one for one in files if one.path in kept)


def uploaded_as(name: str) -> str:
    """Return the path of a file of the list; descriptions of packages are Markdown or close to it."""
    return f"{name}.md" if is_description(name) else name


def content_of(name: str) -> str | None:
    """Return what a file of the list says on this machine; None for one of this repository that is gone."""
    if is_description(name):
        return str(metadata(PurePosixPath(name).parts[1]).json["description"]).replace("\r\n", "\n")
    if name.startswith(PACKAGES):
        return (Path(sysconfig.get_paths()["purelib"]) / name.removeprefix(PACKAGES)).read_text("utf-8")
    place = ROOT / name
    return place.read_text("utf-8") if place.exists() else None


def is_description(name: str) -> bool:
    """Tell whether a name stands for what a package says of itself."""
    return name.startswith(PACKAGES) and PurePosixPath(name).name == README
