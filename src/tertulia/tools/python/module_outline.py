"""What Python source says about itself, read and never run: `python -I -S module_outline.py`.

A process of its own, as some sources take minutes to read and nothing else of a process runs meanwhile.
It imports nothing of ours, so that its start is quick. Sources come in as their length in four bytes and
their bytes; for each JSON goes out in the same way. One that takes too long ends the process.
"""

import ast
import json
import signal
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import BinaryIO

#: Computing time for one source.
OUTLINE_CPU_SECONDS = 1.0
OUTLINE_MEMORY_MAX_BYTES = 1024 * 1024 * 1024
#: Longer sources are not looked into.
OUTLINE_SOURCE_MAX_BYTES = 300_000
OUTLINE_TEXT_MAX_CHARS = 4_000
SOURCE_PARSE_ERRORS = (SyntaxError, ValueError, RecursionError, MemoryError)
PublicDefinition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


@dataclass(frozen=True, slots=True)
class FunctionOutline:
    """A function or class that a tool offers."""

    name: str
    signature: str
    docstring: str


@dataclass(frozen=True, slots=True)
class ModuleOutline:
    """What a source says about itself; `problem` where it is no Python that we can read."""

    description: str = ""
    functions: tuple[FunctionOutline, ...] = ()
    #: Every module that it may import by name.
    imports: tuple[str, ...] = ()
    problem: str = ""


def outline_source(source: bytes) -> ModuleOutline:
    """Return what is in a source."""
    try:
        tree = parse_source(source)
        offered = list(public_definitions(tree))
        functions = tuple(map(outline_function, offered))
        return ModuleOutline(module_description(tree, offered), functions, tuple(sorted(imports(tree))))
    except SOURCE_PARSE_ERRORS as error:
        return ModuleOutline(problem=f"It cannot be read as Python: {explain_parse_error(error)}"[:300])


def explain_parse_error(error: Exception) -> str:
    """Return why a source cannot be read, and where."""
    if isinstance(error, SyntaxError):
        return f"{error.msg} (line {error.lineno})" if error.lineno else error.msg
    return str(error) or "it is too deep or too long"


def parse_source(source: bytes) -> ast.Module:
    """Return a source as a tree, or raise one of `SOURCE_PARSE_ERRORS`."""
    if len(source) > OUTLINE_SOURCE_MAX_BYTES:
        raise ValueError(f"it is longer than {OUTLINE_SOURCE_MAX_BYTES:,} bytes")
    return ast.parse(source)


def public_definitions(tree: ast.Module) -> Iterator[PublicDefinition]:
    """Yield what others may use."""
    for node in tree.body:
        if isinstance(node, PublicDefinition) and not node.name.startswith("_"):
            yield node


def module_description(tree: ast.Module, offered: list[PublicDefinition]) -> str:
    """Return the first line of a source's docstring, or of what it offers first."""
    for node in (tree, *offered):
        if said := (ast.get_docstring(node) or "").strip():
            return said.partition("\n")[0][:OUTLINE_TEXT_MAX_CHARS]
    return ""


def outline_function(node: PublicDefinition) -> FunctionOutline:
    """Return how something is called and what it says about itself."""
    docstring = (ast.get_docstring(node) or "")[:OUTLINE_TEXT_MAX_CHARS]
    return FunctionOutline(node.name, signature(node)[:OUTLINE_TEXT_MAX_CHARS], docstring)


def signature(node: PublicDefinition) -> str:
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


def limit_memory() -> None:
    """Take no more memory than sources need."""
    if sys.platform != "win32":
        import resource  # noqa: PLC0415 - not everywhere

        resource.setrlimit(resource.RLIMIT_AS, (OUTLINE_MEMORY_MAX_BYTES, OUTLINE_MEMORY_MAX_BYTES))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def limit_cpu_time(seconds: float) -> None:
    """Let the process compute for so long from now, or end."""
    if sys.platform != "win32":
        signal.setitimer(signal.ITIMER_VIRTUAL, seconds)


def main(given: BinaryIO, told: BinaryIO) -> None:
    """Look into each source that is given, and tell what is in it."""
    limit_memory()
    while length := given.read(4):
        source = given.read(int.from_bytes(length))
        limit_cpu_time(OUTLINE_CPU_SECONDS)
        outline = json.dumps(asdict(outline_source(source)), ensure_ascii=False).encode(errors="replace")
        told.write(len(outline).to_bytes(4) + outline)
        told.flush()


if __name__ == "__main__":
    main(sys.stdin.buffer, sys.stdout.buffer)
