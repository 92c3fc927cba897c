"""What docstrings and comments name in backquotes exists: whoever renames a thing renames it in prose too."""

import builtins
import keyword
import re
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from tests.source_modules import SOURCES, SourceModule

QUOTED = re.compile(r"`([^`]+)`")
#: `name`, `module.name`, `name(…)`, `UPPER_CASE`. Anything else is a path, a command, a wire value or SQL.
DOTTED_NAME = re.compile(r"([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)(?:\([^()]*\))?")
CALLED_NAME = re.compile(r"\b([A-Za-z_]\w*)\(")
WORD = re.compile(r"\w+")
STRING_OR_COMMENT = re.compile(
    r"""(?: \b[A-Za-z]{1,2} )? (?: (?P<quotes>\"{3}|\'{3}) (?:\\.|.)*? (?P=quotes)
        | "(?:\\.|[^"\\])*" | '(?:\\.|[^'\\])*' )
      | (?P<comment>\#[^\n]*)""",
    re.VERBOSE | re.DOTALL,
)
NAME = re.compile(r"\b[^\W\d]\w*")
NAME_BEFORE_PARENTHESIS = re.compile(r"\b([^\W\d]\w*)[ ]*\(")

#: Names that no code has, by the module that gives them as examples or speaks of other programs.
EXAMPLES = {
    "context/included_files.py": "plan",
    "conversations/export_documents.py": "m1 m2 r2",
    "conversations/import_writer.py": "m12",
    "files/paths.py": "exe",
    "infra/http/outbound.py": "NO_PROXY",
    "sandbox/inside.py": "plt",
    "settings.py": "PREFIX_NAME",
}


@dataclass(frozen=True, slots=True)
class ModuleWords:
    """What a module says: the words of its code, those of them that are called, and its prose."""

    words: frozenset[str]
    called: frozenset[str]
    prose: str


def read_words(module: SourceModule) -> ModuleWords:
    """Return the words of a module's code and string literals, and its docstrings and comments."""
    code = STRING_OR_COMMENT.sub(" ", module.text)
    texts = module.texts
    literals = {
        word for text, is_documentation in texts if not is_documentation for word in WORD.findall(text)
    }
    comments = [found["comment"] for found in STRING_OR_COMMENT.finditer(module.text) if found["comment"]]
    prose = [text for text, is_documentation in texts if is_documentation] + comments
    return ModuleWords(
        words=frozenset({*NAME.findall(code), *literals}),
        called=frozenset(NAME_BEFORE_PARENTHESIS.findall(code)),
        prose="\n\n".join(prose),
    )


def missing_names(prose: str, known: set[str], called: set[str]) -> Iterator[str]:
    """Yield the names in backquotes that do not exist, and those that are called and cannot be."""
    for quoted in QUOTED.findall(prose):
        if found := DOTTED_NAME.fullmatch(quoted):
            yield from (name for name in found[1].split(".") if name not in known)
        yield from (name for name in CALLED_NAME.findall(quoted) if name not in called)


def test_names_in_prose_exist() -> None:
    modules = {path.as_posix(): read_words(module) for path, module in SOURCES.items()}
    file_names = {word for path in SOURCES for part in path.parts for word in WORD.findall(part)}
    own = {word for module in modules.values() for word in module.words}
    known = own | file_names | {*dir(builtins), *keyword.kwlist}
    called = {name for module in modules.values() for name in module.called} | {*dir(builtins)}
    missing = {path: set(missing_names(module.prose, known, called)) for path, module in modules.items()}
    examples = {path: set(names.split()) for path, names in EXAMPLES.items()}
    assert {path: names for path, names in missing.items() if names} == examples


@pytest.mark.parametrize(
    ("prose", "missing"),
    [
        ("Raise `NotReadable`.", ["NotReadable"]),
        ("See `files.gone.open_file`.", ["gone"]),
        ("At most `TIGHTEST` bytes.", ["TIGHTEST"]),
        ("`f\"id IN {listed('ids')}\"`", ["listed"]),
        ("`open_file()`, `files.open_file` and `GET /api/none`", []),
    ],
)
def test_a_missing_name_is_found(prose: str, missing: list[str]) -> None:
    assert list(missing_names(prose, {"files", "open_file"}, {"open_file"})) == missing
