"""What Python source says about itself, read and never run: `python -I -S outline.py`.

A process of its own, as some sources take minutes to read and nothing else of a process runs meanwhile.
It imports nothing of ours, so that its start is quick. Sources come in as their length in four bytes and
their bytes; for each a line of JSON goes out. One that takes too long ends the process.
"""

import ast
import json
import signal
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import BinaryIO

#: Computing time for one source.
SECONDS = 1.0
MEMORY = 1024 * 1024 * 1024
#: Longer sources are not looked into.
LONGEST = 300_000
LONGEST_DOC = 4_000
UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError)
Named = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


@dataclass(frozen=True, slots=True)
class Function:
    """A function or class that a tool offers."""

    name: str
    signature: str
    docstring: str


@dataclass(frozen=True, slots=True)
class Source:
    """What a source says about itself; `problem` where it is no Python that we can read."""

    description: str = ""
    functions: tuple[Function, ...] = ()
    #: Every module that it may import by name.
    imports: tuple[str, ...] = ()
    problem: str = ""


def described(source: bytes) -> Source:
    """Return what is in a source."""
    try:
        tree = parsed(source)
        offered = list(public(tree))
        functions = tuple(map(function, offered))
        return Source(description(tree, offered), functions, tuple(sorted(imports(tree))))
    except UNREADABLE as error:
        return Source(problem=f"It cannot be read as Python: {reason(error)}"[:300])


def reason(error: Exception) -> str:
    """Return why a source cannot be read, and where."""
    if isinstance(error, SyntaxError):
        return f"{error.msg} (line {error.lineno})" if error.lineno else error.msg
    return str(error) or "it is too deep or too long"


def parsed(source: bytes) -> ast.Module:
    """Return a source as a tree, or raise one of `UNREADABLE`."""
    if len(source) > LONGEST:
        raise ValueError(f"it is longer than {LONGEST:,} bytes")
    return ast.parse(source)


def public(tree: ast.Module) -> Iterator[Named]:
    """Yield what others may use."""
    for node in tree.body:
        if isinstance(node, Named) and not node.name.startswith("_"):
            yield node


def description(tree: ast.Module, offered: list[Named]) -> str:
    """Return the first line of a source's docstring, or of what it offers first."""
    for node in (tree, *offered):
        if said := (ast.get_docstring(node) or "").strip():
            return said.partition("\n")[0][:LONGEST_DOC]
    return ""


def function(node: Named) -> Function:
    """Return how something is called and what it says about itself."""
    docstring = (ast.get_docstring(node) or "")[:LONGEST_DOC]
    return Function(node.name, signature(node)[:LONGEST_DOC], docstring)


def signature(node: Named) -> str:
    """Return how something is called."""
    if isinstance(node, ast.ClassDef):
        bases = ", ".join(map(ast.unparse, node.bases))
        return f"class {node.name}({bases})" if bases else f"class {node.name}"
    returns = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    word = "async def" if isinstance(node, ast.AsyncFunctionDef) else "def"
    return f"{word} {node.name}({ast.unparse(node.args)}){returns}"


def imports(tree: ast.Module) -> set[str]:
    """Return every module that a source may import by name."""
    dotted: list[str] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            dotted += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            dotted += [f"{node.module}.{alias.name}" for alias in node.names]
    return {
        ".".join(parts[:depth])
        for name in dotted
        for parts in [name.split(".")]
        for depth in range(1, len(parts) + 1)
    }


def confine() -> None:
    """Take no more memory than sources need."""
    if sys.platform != "win32":
        import resource  # noqa: PLC0415 - not everywhere

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def allow(seconds: float) -> None:
    """Let the process compute for so long from now, or end."""
    if sys.platform != "win32":
        signal.setitimer(signal.ITIMER_VIRTUAL, seconds)


def main(given: BinaryIO, told: BinaryIO) -> None:
    """Look into each source that is given, and tell what is in it."""
    confine()
    while length := given.read(4):
        source = given.read(int.from_bytes(length))
        allow(SECONDS)
        said = json.dumps(asdict(described(source)), ensure_ascii=False)
        told.write(f"{said}\n".encode(errors="replace"))
        told.flush()


if __name__ == "__main__":
    main(sys.stdin.buffer, sys.stdout.buffer)
