"""Writing all conversations of a workspace down, one after the other: never all of them in memory."""

import json
from collections.abc import Generator, Sequence
from pathlib import Path
from typing import Any, BinaryIO

from tertulia.cli.client import Client
from tertulia.cli.errors import InTheWay
from tertulia.cli.output import Meter
from tertulia.cli.whole_file import write_whole
from tertulia.conversations.export_schemas import BUNDLE, VERSION, ProjectDocument
from tertulia.conversations.markdown import file_name

PAGE = 200
#: The list leaves out what is archived or came through the API unless it is asked for.
LISTS: tuple[dict[str, str | bool], ...] = (
    {},
    {"archived": True},
    {"origin": "api"},
    {"origin": "api", "archived": True},
)


def pages(server: Client, path: str, name: str, **wanted: str | bool) -> Generator[dict[str, Any]]:
    """Yield every item of a list, page by page."""
    after = ""
    while True:
        page = server.get(path, limit=PAGE, **wanted, **({"after": after} if after else {}))
        yield from page[name]
        after = page["next"]
        if not after:
            return


def all_conversations(server: Client) -> list[dict[str, Any]]:
    """Return every conversation that one can see, the oldest first."""
    found = {
        one["id"]: one
        for wanted in LISTS
        for one in pages(server, "/api/conversations", "conversations", **wanted)
    }
    return sorted(found.values(), key=lambda one: one["id"])


def write_folder(server: Client, folder: Path, *, form: str, ending: str, force: bool, show: Meter) -> int:
    """Write each conversation to a file of its own; names that are taken get a number."""
    conversations = all_conversations(server)
    taken: set[str] = set()
    for done, one in enumerate(conversations, 1):
        path = folder / free_name(one["title"], ending, taken)
        if path.exists() and not force:
            raise InTheWay(path)
        with write_whole(path) as into:
            server.export(one["id"], into, form=form)
        show("Exporting", done, len(conversations))
    return len(conversations)


def free_name(title: str | None, ending: str, taken: set[str]) -> str:
    """Return a file's name that was not given before, whatever the case of its letters."""
    name, number = file_name(title, ending), 1
    while name.casefold() in taken:
        number += 1
        name = file_name(f"{(title or 'Conversation')[:60]} ({number})", ending)
    taken.add(name.casefold())
    return name


def write_bundle(server: Client, target: Path, *, show: Meter) -> int:
    """Write all projects and conversations into one file, which appears only once it is whole."""
    projects = sorted(pages(server, "/api/projects", "projects"), key=lambda one: one["id"])
    conversations = all_conversations(server)
    with write_whole(target) as file:
        write_projects(file, projects)
        refs = {one["id"]: f"p{number}" for number, one in enumerate(projects, 1)}
        for done, one in enumerate(conversations, 1):
            project = json.dumps(refs.get(one["project_id"]))
            before = ",\n" if done > 1 else "\n"
            file.write(f'{before}{{"project": {project}, "conversation": '.encode())
            server.export(one["id"], file, form="json")
            file.write(b"}")
            show("Exporting", done, len(conversations))
        file.write(b"\n]}\n")
    return len(conversations)


def write_projects(file: BinaryIO, projects: Sequence[dict[str, Any]]) -> None:
    """Write the beginning of a bundle: what it is, and its projects."""
    documents = [project_document(one, f"p{number}") for number, one in enumerate(projects, 1)]
    head = {"format": BUNDLE, "version": VERSION, "projects": documents}
    file.write(json.dumps(head, ensure_ascii=False, indent=2)[:-2].encode())
    file.write(b',\n  "conversations": [')


def project_document(project: dict[str, Any], ref: str) -> dict[str, Any]:
    """Return a project as bundles hold it."""
    kept = {name: project[name] for name in ProjectDocument.model_fields if name in project}
    return ProjectDocument.model_validate({**kept, "ref": ref}).model_dump(mode="json")
