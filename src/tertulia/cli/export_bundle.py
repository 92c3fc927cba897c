"""Writing all conversations of a workspace down, one after the other: never all of them in memory."""

import json
from collections.abc import Generator, Sequence
from pathlib import Path
from typing import BinaryIO

from tertulia.cli.atomic_file import write_atomically
from tertulia.cli.client import ApiClient
from tertulia.cli.errors import InTheWay
from tertulia.cli.output import ProgressCallback
from tertulia.conversations.export_documents import BUNDLE_FORMAT, EXPORT_VERSION, ProjectDocument
from tertulia.conversations.markdown_export import export_file_name
from tertulia.core.json_object import JsonObject

EXPORT_PAGE_SIZE = 200
#: The list leaves out what is archived or came through the API unless it is asked for.
EXPORTED_LIST_FILTERS: tuple[dict[str, str | bool], ...] = (
    {},
    {"archived": True},
    {"origin": "api"},
    {"origin": "api", "archived": True},
)


def list_items(server: ApiClient, path: str, name: str, **filters: str | bool) -> Generator[JsonObject]:
    """Yield every item of a list, page by page."""
    after = ""
    while True:
        page = server.get(path, limit=EXPORT_PAGE_SIZE, **filters, **({"after": after} if after else {}))
        yield from page[name]
        after = page["next"]
        if not after:
            return


def list_all_conversations(server: ApiClient) -> list[JsonObject]:
    """Return every conversation that one can see and that stays, the oldest first."""
    found = {
        item["id"]: item
        for wanted in EXPORTED_LIST_FILTERS
        for item in list_items(server, "/api/conversations", "conversations", **wanted)
        if not item.get("temporary")
    }
    return sorted(found.values(), key=lambda conversation: conversation["id"])


def write_folder(
    server: ApiClient,
    folder: Path,
    *,
    export_format: str,
    extension: str,
    force: bool,
    report_progress: ProgressCallback,
) -> int:
    """Write each conversation to a file of its own; names that are taken get a number."""
    conversations = list_all_conversations(server)
    taken: set[str] = set()
    for done, conversation in enumerate(conversations, 1):
        path = folder / unused_file_name(conversation["title"], extension, taken)
        if path.exists() and not force:
            raise InTheWay(path)
        with write_atomically(path) as into:
            server.export_conversation(conversation["id"], into, export_format=export_format)
        report_progress("Exporting", done, len(conversations))
    return len(conversations)


def unused_file_name(title: str | None, extension: str, taken: set[str]) -> str:
    """Return a file's name that was not given before, whatever the case of its letters."""
    name, number = export_file_name(title, extension), 1
    while name.casefold() in taken:
        number += 1
        name = export_file_name(f"{(title or 'Conversation')[:60]} ({number})", extension)
    taken.add(name.casefold())
    return name


def write_bundle(server: ApiClient, target: Path, *, report_progress: ProgressCallback) -> int:
    """Write all projects and conversations into one file, which appears only once it is whole."""
    projects = sorted(list_items(server, "/api/projects", "projects"), key=lambda project: project["id"])
    conversations = list_all_conversations(server)
    with write_atomically(target) as file:
        write_projects(file, projects)
        refs = {project["id"]: f"p{number}" for number, project in enumerate(projects, 1)}
        for done, conversation in enumerate(conversations, 1):
            project = json.dumps(refs.get(conversation["project_id"]))
            before = ",\n" if done > 1 else "\n"
            file.write(f'{before}{{"project": {project}, "conversation": '.encode())
            server.export_conversation(conversation["id"], file, export_format="json")
            file.write(b"}")
            report_progress("Exporting", done, len(conversations))
        file.write(b"\n]}\n")
    return len(conversations)


def write_projects(file: BinaryIO, projects: Sequence[JsonObject]) -> None:
    """Write the beginning of a bundle: what it is, and its projects."""
    documents = [project_document(project, f"p{number}") for number, project in enumerate(projects, 1)]
    head = {"format": BUNDLE_FORMAT, "version": EXPORT_VERSION, "projects": documents}
    file.write(json.dumps(head, ensure_ascii=False, indent=2)[:-2].encode())
    file.write(b',\n  "conversations": [')


def project_document(project: JsonObject, ref: str) -> JsonObject:
    """Return a project as bundles hold it."""
    kept = {name: project[name] for name in ProjectDocument.model_fields if name in project}
    return ProjectDocument.model_validate({**kept, "ref": ref}).model_dump(mode="json")
