"""What a feature keeps to itself: its store is for nobody else, and its schemas are for the edges."""

import ast
from collections.abc import Iterator
from pathlib import Path

import tertulia

ROOT = Path(tertulia.__file__).parent
SOURCES = {path.relative_to(ROOT): ast.parse(path.read_text()) for path in sorted(ROOT.rglob("*.py"))}


def feature_of(path: Path) -> str:
    """Return the folder that a module belongs to; in `infra`, one folder deeper."""
    depth = 2 if path.parts[0] == "infra" else 1
    return "/".join(path.parts[: min(depth, len(path.parts) - 1)])


def imported_modules(tree: ast.Module) -> Iterator[str]:
    """Yield the dotted names of what a module imports, wherever in it."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{name.name}" for name in node.names)
        elif isinstance(node, ast.Import):
            yield from (name.name for name in node.names)


def is_store(path: Path) -> bool:
    return path.stem == "store" or path.stem.endswith("_store")


STORES = {"tertulia." + ".".join(path.with_suffix("").parts): path for path in SOURCES if is_store(path)}


def test_there_are_stores_to_keep_private() -> None:
    assert {"tertulia.conversations.store", "tertulia.models.connection_store"} <= STORES.keys()


def test_no_feature_imports_the_store_of_another() -> None:
    foreign = {
        f"{path} imports {name}"
        for path, tree in SOURCES.items()
        for name in imported_modules(tree)
        if name in STORES and feature_of(STORES[name]) != feature_of(path)
    }
    assert foreign == set()


def is_schemas(path: Path) -> bool:
    return path.stem == "schemas" or path.stem.endswith("_schemas")


def is_edge(path: Path) -> bool:
    """Tell whether a module speaks to the outside, where all that comes and goes has a shape."""
    is_routes = path.stem == "routes" or path.stem.endswith("_routes") or "routes" in path.parts
    return is_routes or path.parts[0] == "doors"


SCHEMAS = {"tertulia." + ".".join(path.with_suffix("").parts) for path in SOURCES if is_schemas(path)}


def test_there_are_schemas_to_keep_at_the_edges() -> None:
    assert {"tertulia.conversations.schemas", "tertulia.search.insight_schemas"} <= SCHEMAS


def test_only_edges_and_other_schemas_import_schemas() -> None:
    inner = {
        f"{path} imports {name}"
        for path, tree in SOURCES.items()
        if not is_edge(path) and not is_schemas(path)
        for name in imported_modules(tree)
        if name in SCHEMAS
    }
    assert inner == set()
