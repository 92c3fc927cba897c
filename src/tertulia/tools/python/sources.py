"""What Python source says about itself: read, never run."""

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tertulia.files.modules import TOOLS, module_of
from tertulia.files.summaries import shortened

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
    """What a tool says about itself; `problem` where it is no Python that we can read."""

    description: str = ""
    functions: tuple[Function, ...] = ()
    problem: str = ""


def described(source: bytes) -> Source:
    """Return what is in a source."""
    try:
        tree = parsed(source)
        offered = list(public(tree))
        return Source(description(tree, offered), tuple(map(function, offered)))
    except UNREADABLE as error:
        return Source(problem=f"It cannot be read as Python: {error}"[:300])


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
            return shortened(said.partition("\n")[0])
    return ""


def function(node: Named) -> Function:
    """Return how something is called and what it says about itself."""
    docstring = (ast.get_docstring(node) or "")[:LONGEST_DOC]
    if isinstance(node, ast.ClassDef):
        bases = ", ".join(map(ast.unparse, node.bases))
        return Function(
            node.name, f"class {node.name}({bases})" if bases else f"class {node.name}", docstring
        )
    returns = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    word = "async def" if isinstance(node, ast.AsyncFunctionDef) else "def"
    return Function(node.name, f"{word} {node.name}({ast.unparse(node.args)}){returns}", docstring)


def tools_used(code: str, tools: Mapping[str, bytes]) -> set[str]:
    """Return the names of the tools that code imports, and that those import in turn."""
    modules = {module: name for name in tools if (module := module_of(f"{TOOLS}{name}"))}
    used: set[str] = set()
    left = [code.encode(errors="replace")]
    while left:
        found = {modules[module] for module in imports(left.pop()) if module in modules} - used
        used |= found
        left += [tools[name] for name in found]
    return used


def imports(source: bytes) -> set[str]:
    """Return every module that a source may import by name."""
    try:
        nodes = list(ast.walk(parsed(source)))
    except UNREADABLE:
        return set()
    dotted = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    for node in nodes:
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            dotted += [f"{node.module}.{alias.name}" for alias in node.names]
    return {
        ".".join(parts[:depth])
        for name in dotted
        for parts in [name.split(".")]
        for depth in range(1, len(parts) + 1)
    }
