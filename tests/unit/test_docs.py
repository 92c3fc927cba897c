"""The documentation tells the truth: what it names exists, and what exists is named."""

import ast
import re
from collections.abc import Iterator
from dataclasses import fields
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from typing import get_args

import click
import pytest
from tests.source_modules import SOURCES

import tertulia
from tertulia.cli.chat_commands import CHAT_COMMANDS
from tertulia.cli.commands import CLI_COMMANDS, LazyCommandGroup
from tertulia.conversations.events import ConversationEvent
from tertulia.core.errors import Kind, TertuliaError
from tertulia.infra.http.errors import CODES_BY_STATUS, STATUS_BY_KIND
from tertulia.models.connections import CONNECTION_VARIABLES, ConnectionKind
from tertulia.settings import KEY_VARIABLE, Settings, variable_name

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src" / "tertulia"
GUIDE = ROOT / "docs" / "guide"
PAGES = sorted(
    [
        *(ROOT / "docs").rglob("*.md"),
        *(ROOT / name for name in ("README.md", "CHANGELOG.md", "deploy/README.md")),
    ]
)
#: Read from the environment, but not by `Settings`.
#: Fields of the settings that no single variable sets.
NOT_NAMED = ("provider_env", "retrieval")
OTHER_VARIABLES = {KEY_VARIABLE, "TERTULIA_URL", "TERTULIA_TOKEN"}
#: Codes that the web edge itself gives.
EDGE_CODES = {*CODES_BY_STATUS.values(), "invalid_request", "http_error", "internal"}

each_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))


def text_of(name: str) -> str:
    return (GUIDE / name).read_text("utf-8")


def table_rows(text: str) -> list[list[str]]:
    """Return the cells of every table's rows, without heads and rules."""
    lines = [line for line in text.splitlines() if line.startswith("| `")]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]


def first_cells(text: str) -> set[str]:
    return {row[0].strip().strip("`") for row in table_rows(text)}


def section(text: str, heading: str) -> str:
    """Return what stands under a heading, down to the next one of any level."""
    found = re.search(rf"^#+ {re.escape(heading)}\n(.*?)(?=^#+ |\Z)", text, re.MULTILINE | re.DOTALL)
    assert found, f"there is no heading {heading!r}"
    return found[1]


def test_every_setting_is_explained_and_every_explained_setting_exists() -> None:
    settings = {variable_name(one) for one in fields(Settings) if one.name not in NOT_NAMED}
    cells = first_cells(text_of("settings.md"))
    explained = {name for name in cells if name in settings or name.startswith("TERTULIA_")}
    assert explained == settings | OTHER_VARIABLES


def test_the_defaults_in_the_settings_are_the_real_ones() -> None:
    said = {row[0].strip("` "): row[1].strip("`") for row in table_rows(text_of("settings.md"))}
    real = Settings(data_dir=Path())
    for one in fields(Settings):
        value = getattr(real, one.name)
        if one.name not in ("data_dir", *NOT_NAMED):
            shown = {True: "on", False: "off", "": "none", (): "none"}.get(value, str(value))
            assert said[variable_name(one)] == shown


@pytest.mark.parametrize("page", ["settings.md", "models.md"])
def test_every_variable_of_a_provider_is_named(page: str) -> None:
    names = {name for one in CONNECTION_VARIABLES for name in (*one.keys, one.base_url) if name}
    assert names <= set(re.findall(r"`([A-Z_]+)`", text_of(page)))


def test_no_page_names_a_setting_that_does_not_exist() -> None:
    known = {f"TERTULIA_{one.name.upper()}" for one in fields(Settings)} | OTHER_VARIABLES
    for page in PAGES:
        assert set(re.findall(r"TERTULIA_[A-Z_]+[A-Z]", page.read_text("utf-8"))) <= known, page


def subcommands(name: str) -> list[str]:
    command = LazyCommandGroup().get_command(click.Context(click.Command("tertulia")), name)
    return [f"{name} {one}" for one in command.commands] if isinstance(command, click.Group) else []


def test_every_command_has_a_heading_and_an_example() -> None:
    page = text_of("cli.md")
    assert set(re.findall(r"^### `tertulia (\w+)`$", page, re.MULTILINE)) == set(CLI_COMMANDS)
    for name in CLI_COMMANDS:
        assert "$ " in section(page, f"`tertulia {name}`")
        assert all(f"tertulia {one}" in page for one in subcommands(name))


def test_every_option_in_an_example_is_one_that_the_command_has() -> None:
    examples = re.findall(r"tertulia (\w+)([^`|\n]*)", "\n".join(map(text_of, ["cli.md", "operating.md"])))
    for name, rest in examples:
        command = LazyCommandGroup().get_command(click.Context(click.Command("tertulia")), name)
        if command is None:
            continue
        if isinstance(command, click.Group) and (
            below := command.commands.get(rest.split()[0] if rest.split() else "")
        ):
            command = below
        known = {option for one in command.params for option in one.opts} | {"--help"}
        assert set(re.findall(r"(?<=\s)--?[a-z][a-z-]*", rest)) <= known, f"tertulia {name}{rest}"


def test_every_command_of_a_chat_is_listed() -> None:
    listed = set(re.findall(r"`/(\w+)", section(text_of("cli.md"), "`tertulia chat`")))
    assert listed == {*CHAT_COMMANDS, "quit"}


def test_every_event_is_in_the_table_with_its_fields() -> None:
    said = {row[0].strip("` "): re.findall(r"`(\w+)`", row[1]) for row in table_rows(text_of("api.md"))}
    for event in get_args(ConversationEvent):
        config = event.__struct_config__
        assert said[config.tag] == list(event.__struct_fields__)


def all_errors() -> Iterator[type[TertuliaError]]:
    for module in walk_packages(tertulia.__path__, "tertulia."):
        if not module.name.endswith("__main__"):
            import_module(module.name)
    waiting = [TertuliaError]
    while waiting:
        below = waiting.pop().__subclasses__()
        # Tests may derive errors of their own.
        yield from (one for one in below if one.__module__.startswith("tertulia."))
        waiting += below


def explained_codes() -> set[str]:
    page = text_of("api.md")
    only_here = re.findall(r"`([a-z_]+)`", section(page, "What only the command line says"))
    headings = ("What may go wrong with a request", "What may go wrong with a reply")
    return set(only_here).union(*(first_cells(section(page, heading)) for heading in headings))


def test_every_code_of_an_error_is_explained_and_every_explained_code_exists() -> None:
    assert explained_codes() == {error.code for error in all_errors()} | EDGE_CODES


def test_the_statuses_of_errors_are_the_real_ones() -> None:
    page = text_of("api.md")
    said = {
        row[0].strip("` "): row[1] for row in table_rows(section(page, "What may go wrong with a request"))
    }
    for error in all_errors():
        if error.code in said and error.code not in EDGE_CODES - {"not_found"}:
            assert said[error.code] == str(STATUS_BY_KIND[error.kind]), error.code


def test_every_kind_of_error_is_in_the_table_with_its_status() -> None:
    said = {row[0].strip("` "): row[1] for row in table_rows(section(text_of("api.md"), "Errors"))}
    assert said == {**{kind.value: str(STATUS_BY_KIND[kind]) for kind in Kind}, "internal": "500"}


def test_every_kind_of_connection_is_named() -> None:
    page = text_of("models.md")
    assert all(f"`{kind}`" in page for kind in ConnectionKind)


def anchors(page: Path) -> set[str]:
    """Return the anchors that a page's headings make."""
    headings = re.findall(r"^#+ (.+)$", page.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@each_page
def test_links_lead_somewhere(page: Path) -> None:
    for link in re.findall(r"\]\(([^)]+)\)", page.read_text("utf-8")):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), link
        assert not anchor or anchor in anchors(target), link


@each_page
def test_pages_name_no_path_of_the_machine_they_were_written_on(page: Path) -> None:
    found = re.findall(r"(?<![\w.~-])/(?:tmp|work|root|home|Users)/[\w/.-]*", page.read_text("utf-8"))
    assert not found


def names_in(path: Path) -> set[str]:
    """Return the classes, functions and methods of a module, methods after their class's name."""
    names: set[str] = set()
    for node in SOURCES[path.relative_to(SOURCE)].tree.body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            names.add(node.name)
        if isinstance(node, ast.ClassDef):
            inside = (one for one in node.body if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef))
            names |= {f"{node.name}.{one.name}" for one in inside}
    return names


@pytest.mark.parametrize("page", ["life-of-a-turn.md", "architecture.md"])
def test_files_and_functions_that_are_named_exist(page: str) -> None:
    text = (ROOT / "docs" / page).read_text("utf-8")
    for path, name in re.findall(r"`([a-z_]+/[\w/]+\.py)(?::([\w.]+))?`", text):
        assert (SOURCE / path).is_file(), path
        assert not name or name in names_in(SOURCE / path), f"{path}:{name}"


def test_methods_that_are_named_alone_exist_too() -> None:
    everything = set[str]().union(*(names_in(path) for path in SOURCE.rglob("*.py")))
    text = (ROOT / "docs" / "life-of-a-turn.md").read_text("utf-8")
    alone = re.findall(r"`([A-Z]\w+\.\w+)`", text) + re.findall(r"`\w+\.py:(\w+)`", text)
    assert alone
    assert set(alone) <= everything


def test_the_glossary_names_places_that_exist_and_each_word_once() -> None:
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in (ROOT / "docs" / "glossary.md").read_text("utf-8").splitlines()
        if line.startswith("| ") and "`" in line
    ]
    places = {place for row in rows for place in re.findall(r"`([a-z_]+/[\w/.]*)`", row[2])}
    words = [word for row in rows for word in row[0].split(", ")]
    assert len(rows) > 80
    roots = (SOURCE, ROOT / "web" / "src")
    assert {place for place in places if not any((root / place).exists() for root in roots)} == set()
    assert len(words) == len(set(words))
