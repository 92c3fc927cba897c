"""Who imports whom: down the rungs of a feature, no store of a neighbour, and schemas at the edges only."""

import ast
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from grimp import ImportGraph, Layer, Route
from tests.source_modules import SOURCES, SourceModule

#: Inside a feature, top rung first; `attachment_routes` stands beside `routes`.
RUNGS = ("routes", "schemas", "service", "store", "domain", "errors")


def feature_of(path: Path) -> str:
    """Return the folder that a module belongs to; in `infra`, one folder deeper."""
    depth = 2 if path.parts[0] == "infra" else 1
    return "/".join(path.parts[: min(depth, len(path.parts) - 1)])


def module_name(path: Path) -> str:
    """Return the dotted name that a module is imported by."""
    parts = path.with_suffix("").parts
    return ".".join(("tertulia", *(parts[:-1] if parts[-1] == "__init__" else parts)))


def role_of(name: str) -> str:
    """Return the word that says what a module is for: `store` of `models.connection_store`."""
    return name.rpartition(".")[2].rpartition("_")[2]


class SourceTree:
    """The modules of a source tree by their names, and what each of them imports."""

    def __init__(self, sources: Mapping[Path, SourceModule]) -> None:
        self.paths = {module_name(path): path for path in sources}
        self.code = {module_name(path): code for path, code in sources.items()}
        self.imports = {
            name: set(self._imported_names(code)) & self.paths.keys() - {name}
            for name, code in self.code.items()
        }
        self.bindings = {name: dict(self._bound_modules(code)) for name, code in self.code.items()}

    def names_used_by(self, module: str) -> Iterator[str]:
        """Yield the dotted names of what a module takes out of other modules."""
        for node in self.code[module].nodes:
            if isinstance(node, ast.ImportFrom):
                yield from (f"{node.module}.{alias.name}" for alias in node.names)
            elif isinstance(node, ast.Attribute):
                yield self._dotted_name(node, self.bindings[module])

    def is_same_feature(self, module: str, other: str) -> bool:
        return feature_of(self.paths[module]) == feature_of(self.paths[other])

    def _imported_names(self, code: SourceModule) -> Iterator[str]:
        """Yield the names of the modules that are imported, wherever in the code."""
        for node in code.nodes:
            if isinstance(node, ast.ImportFrom) and node.module:
                names = {f"{node.module}.{alias.name}" for alias in node.names}
                yield from (name if name in self.paths else node.module for name in names)
            elif isinstance(node, ast.Import):
                yield from (alias.name for alias in node.names)

    def _bound_modules(self, code: SourceModule) -> Iterator[tuple[str, str]]:
        """Yield the names that stand for modules of the tree in this code, and for which."""
        for node in code.nodes:
            if isinstance(node, ast.ImportFrom):
                for alias in node.names:
                    if (name := f"{node.module}.{alias.name}") in self.paths:
                        yield alias.asname or alias.name, name
            elif isinstance(node, ast.Import):
                for alias in node.names:
                    top = alias.name.partition(".")[0]
                    yield (alias.asname, alias.name) if alias.asname else (top, top)

    def _dotted_name(self, node: ast.expr, bindings: Mapping[str, str]) -> str:
        if isinstance(node, ast.Attribute):
            return f"{self._dotted_name(node.value, bindings)}.{node.attr}"
        return bindings.get(node.id, "") if isinstance(node, ast.Name) else ""


def tree_of(files: Mapping[str, str]) -> SourceTree:
    """Return a tree of made-up modules, by their paths."""
    return SourceTree({Path(path): SourceModule.parse(code) for path, code in files.items()})


TREE = SourceTree(SOURCES)


def imports_up_the_rungs(tree: SourceTree) -> set[str]:
    """Return the ways by which a module reaches one on a higher rung of its feature."""
    graph = ImportGraph()
    for module in tree.paths:
        graph.add_module(module)
        for imported in tree.imports[module]:
            graph.add_import(importer=module, imported=imported)
    return {
        describe_route(route)
        for feature, members in rung_members(tree).items()
        for dependency in graph.find_illegal_dependencies_for_layers(
            [Layer(*members[rung], independent=False) for rung in RUNGS if members[rung]],
            containers={feature},
        )
        for route in dependency.routes
    }


def rung_members(tree: SourceTree) -> dict[str, dict[str, set[str]]]:
    """Return for each feature what stands on which rung; a folder on a rung stands there as a whole."""
    members: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for module, path in tree.paths.items():
        feature = ".".join(["tertulia", *filter(None, feature_of(path).split("/"))])
        parts = module.removeprefix(feature).split(".")[1:]
        for end, part in enumerate(parts, start=1):
            if role_of(part) in RUNGS:
                members[feature][role_of(part)].add(".".join(parts[:end]))
                break
    return members


def describe_route(route: Route) -> str:
    return " > ".join([min(route.heads), *route.middle, min(route.tails)])


def test_every_feature_has_its_modules_on_rungs() -> None:
    members = rung_members(TREE)
    assert members["tertulia.conversations"]["routes"] == {
        "routes",
        "attachment_routes",
        "created_routes",
        "export_routes",
    }
    assert members["tertulia.files"]["service"] == {"service", "extract.service"}
    assert members["tertulia.files"]["routes"] == {"routes"}
    assert {"tertulia.infra.undo", "tertulia.sandbox", "tertulia.doors"} <= members.keys()


def test_inside_a_feature_imports_go_down_the_rungs() -> None:
    assert imports_up_the_rungs(TREE) == set()


@pytest.mark.parametrize(
    ("importer", "imported"),
    [
        ("conversations/store", "conversations/attachment_routes"),
        ("conversations/domain", "conversations/export_schemas"),
        ("models/connection_store", "models/connection_service"),
        ("infra/undo/domain", "infra/undo/store"),
        ("files/extract/errors", "files/domain"),
        ("files/service", "files/routes/uploads"),
    ],
)
@pytest.mark.parametrize("is_lazy", [False, True])
def test_an_import_up_the_rungs_is_noticed(importer: str, imported: str, *, is_lazy: bool) -> None:
    folder, _, name = f"tertulia/{imported}".replace("/", ".").rpartition(".")
    statement = f"from {folder} import {name}"
    code = f"def later():\n    {statement}" if is_lazy else statement
    files = {f"{importer}.py": code, f"{imported}.py": ""}
    packages = {f"{parent}/__init__.py": "" for path in files for parent in Path(path).parents[:-1]}

    found = imports_up_the_rungs(tree_of(packages | files))

    assert found == {f"tertulia/{importer} > tertulia/{imported}".replace("/", ".")}


def test_an_import_up_the_rungs_by_way_of_another_module_is_noticed() -> None:
    tree = tree_of(
        {
            "files/__init__.py": "",
            "files/domain.py": "from tertulia.files.paths import normalise",
            "files/paths.py": "import tertulia.files.store",
            "files/store.py": "",
        }
    )
    assert imports_up_the_rungs(tree) == {
        "tertulia.files.domain > tertulia.files.paths > tertulia.files.store"
    }


def foreign_stores(tree: SourceTree) -> set[str]:
    """Return the imports of a store by another feature than its own."""
    return {
        f"{module} imports {imported}"
        for module in tree.paths
        for imported in tree.imports[module]
        if role_of(imported) == "store" and not tree.is_same_feature(module, imported)
    }


def test_no_feature_imports_the_store_of_another() -> None:
    assert foreign_stores(TREE) == set()


@pytest.mark.parametrize("store", ["store", "connection_store"])
def test_an_import_of_a_foreign_store_is_noticed(store: str) -> None:
    tree = tree_of({"turns/run.py": f"from tertulia.models import {store}", f"models/{store}.py": ""})
    assert foreign_stores(tree) == {f"tertulia.turns.run imports tertulia.models.{store}"}


def modules_through_neighbours(tree: SourceTree) -> set[str]:
    """Return where a module is taken out of another feature's module, instead of imported by its name."""
    return {
        f"{module} takes {tree.bindings[neighbour][name]} from {neighbour}"
        for module in tree.paths
        for neighbour, _, name in (used.rpartition(".") for used in tree.names_used_by(module))
        if neighbour in tree.paths
        and f"{neighbour}.{name}" not in tree.paths
        and name in tree.bindings[neighbour]
        and not tree.is_same_feature(module, neighbour)
    }


def test_no_feature_reaches_a_module_through_a_neighbour() -> None:
    assert modules_through_neighbours(TREE) == set()


@pytest.mark.parametrize(
    "code",
    [
        "from tertulia.conversations.round_writer import store",
        "def later():\n    from tertulia.conversations.round_writer import store as theirs",
        "from tertulia.conversations import round_writer as writer\nwriter.store.list_rounds()",
        "import tertulia.conversations.round_writer\ntertulia.conversations.round_writer.store.list_rounds()",
    ],
)
def test_a_module_reached_through_a_neighbour_is_noticed(code: str) -> None:
    tree = tree_of(
        {
            "inspection/meter.py": code,
            "conversations/round_writer.py": "from tertulia.conversations import store",
            "conversations/store.py": "",
        }
    )
    neighbour = "tertulia.conversations.round_writer"
    assert modules_through_neighbours(tree) == {
        f"tertulia.inspection.meter takes tertulia.conversations.store from {neighbour}"
    }


def is_edge(path: Path) -> bool:
    """Tell whether a module speaks to the outside, where all that comes and goes has a shape."""
    is_routes = role_of(path.stem) == "routes" or "routes" in path.parts
    return is_routes or path.parts[0] == "doors"


def inner_imports_of_schemas(tree: SourceTree) -> set[str]:
    """Return the imports of schemas by what is neither an edge nor schemas."""
    return {
        f"{module} imports {imported}"
        for module, path in tree.paths.items()
        if not is_edge(path) and role_of(path.stem) != "schemas"
        for imported in tree.imports[module]
        if role_of(imported) == "schemas"
    }


def test_only_edges_and_other_schemas_import_schemas() -> None:
    assert inner_imports_of_schemas(TREE) == set()


@pytest.mark.parametrize("schemas", ["schemas", "insight_schemas"])
def test_an_inner_import_of_schemas_is_noticed(schemas: str) -> None:
    tree = tree_of(
        {"upkeep/titles.py": f"from tertulia.search.{schemas} import Hit", f"search/{schemas}.py": ""}
    )
    assert inner_imports_of_schemas(tree) == {f"tertulia.upkeep.titles imports tertulia.search.{schemas}"}


def repeated_class_names(sources: Mapping[Path, SourceModule]) -> dict[str, list[str]]:
    """Return the names that several modules give to classes of their own, and those modules."""
    places: dict[str, list[str]] = defaultdict(list)
    for path, code in sources.items():
        for node in code.tree.body:
            if isinstance(node, ast.ClassDef):
                places[node.name].append(path.as_posix())
    return {name: found for name, found in places.items() if len(found) > 1}


def test_a_class_name_means_one_thing() -> None:
    assert repeated_class_names(SOURCES) == {}


def test_a_repeated_class_name_is_noticed() -> None:
    sources = {Path(name): SourceModule.parse("class Draft: ...") for name in ("a.py", "b.py")}
    assert repeated_class_names(sources) == {"Draft": ["a.py", "b.py"]}


def uses_of_run(code: SourceModule) -> list[int]:
    """Return the lines in which something is done with what `tx.run` returns, which is nothing."""
    called = {
        id(node): node.lineno
        for node in code.nodes
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "run"
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id == "tx"
    }
    unused = {
        id(node.value if isinstance(node, ast.Expr) else node.body)
        for node in code.nodes
        if isinstance(node, ast.Expr | ast.Lambda)
    }
    return [line for call, line in called.items() if call not in unused]


def test_only_change_is_asked_how_many_rows_it_changed() -> None:
    assert {path: lines for path, code in SOURCES.items() if (lines := uses_of_run(code))} == {}


def test_a_count_that_is_asked_of_run_is_noticed() -> None:
    code = SourceModule.parse("tx.run(sql)\ndo = lambda tx: tx.run(sql)\ndone = bool(tx.run(sql))\n")
    assert uses_of_run(code) == [3]
