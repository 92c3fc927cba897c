"""Taking a whole workspace along: exported from one, imported into another, through real doors."""

import json
import threading
import time
from collections.abc import Generator
from pathlib import Path

import pytest
import uvicorn
from click.testing import CliRunner, Result
from fastapi import FastAPI, Request
from tests.export_world import ExportWorld, ask, new_conversation, open_world, reply

from tertulia.cli.commands import root
from tertulia.cli.export_bundle import unused_file_name
from tertulia.conversations import export_routes, routes
from tertulia.core.clock import now
from tertulia.core.errors import TertuliaError
from tertulia.core.principal import Principal
from tertulia.files.service import Files
from tertulia.infra.db import Database, Tx
from tertulia.infra.events import EventLog
from tertulia.infra.http import errors
from tertulia.infra.http.identity import Authenticator
from tertulia.infra.http.routing import add_routes
from tertulia.projects import routes as project_routes
from tertulia.projects import store as projects
from tertulia.settings import Settings

IN_SEA = """SELECT count(*) FROM conversations AS c JOIN projects AS p ON p.id = c.project_id
    WHERE p.name = 'Sea' AND c.workspace_id = :workspace"""


class ByName:
    """Takes a token for the name of whoever sends it."""

    def __init__(self, world: ExportWorld) -> None:
        self.people = {"Bearer ana": world.ana, "Bearer ben": world.ben}

    async def identify(self, request: Request) -> Principal:
        return self.people[request.headers["authorization"]]

    async def is_still_allowed(self, principal: Principal) -> bool:
        return principal in self.people.values()


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[ExportWorld]:
    world = open_world(tmp_path)
    app = FastAPI()
    app.state.parts = {
        Database: world.db,
        EventLog: world.log,
        Files: world.files,
        Authenticator: ByName(world),
        Settings: Settings(tmp_path),
    }
    for one in (export_routes, routes, project_routes):
        add_routes(app, one.router)
    errors.install_error_handlers(app)
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="error", lifespan="off"))
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        time.sleep(0.005)
    port = server.servers[0].sockets[0].getsockname()[1]
    monkeypatch.setenv("TERTULIA_URL", f"http://127.0.0.1:{port}")
    yield world
    server.should_exit = True
    thread.join()
    world.db.close()


def tertulia(*args: str | Path, who: str = "ana") -> Result:
    return CliRunner().invoke(root, [str(arg) for arg in args], env={"TERTULIA_TOKEN": who})


def plant(world: ExportWorld) -> None:
    """Make three conversations: one in a project, one archived, one with the same title."""

    def write(tx: Tx) -> None:
        project_id = projects.add(tx, "Sea")
        for columns in ({"project_id": project_id}, {"archived_at": now()}, {}):
            made = new_conversation(tx, world, title="Tides", **columns)
            reply(tx, ask(tx, made, "Why?"), "Because\u2028of the moon.")

    world.write(write)


def test_a_bundle_imports_back_identically(world: ExportWorld, tmp_path: Path) -> None:
    plant(world)
    first, second = tmp_path / "first.json", tmp_path / "second.json"
    assert tertulia("export", "-o", first).exit_code == 0
    imported = tertulia("import", first, who="ben")
    assert imported.exit_code == 0
    assert len(imported.stdout.split()) == 3
    tertulia("export", "-o", second, who="ben")

    names = [[one["name"] for one in json.loads(path.read_bytes())["projects"]] for path in (first, second)]
    assert sorted(names[0]) == sorted(names[1]) == ["General", "Sea"]
    documents = [
        sorted(json.dumps(one["conversation"]) for one in json.loads(path.read_bytes())["conversations"])
        for path in (first, second)
    ]
    assert documents[0] == documents[1]
    count = world.read(lambda tx: tx.value(IN_SEA), by=world.ben)
    assert count == 1


def test_a_folder_gets_a_file_for_each_conversation(world: ExportWorld, tmp_path: Path) -> None:
    plant(world)
    assert tertulia("export", "-o", tmp_path / "out", "--format", "markdown").exit_code == 0
    files = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert files == ["Tides (2).md", "Tides (3).md", "Tides.md"]
    again = tertulia("export", "-o", tmp_path / "out", "--format", "markdown")
    assert isinstance(again.exception, TertuliaError)


def test_one_conversation_goes_to_standard_output(world: ExportWorld) -> None:
    plant(world)
    sql = "SELECT id FROM conversations WHERE workspace_id = :workspace"
    conversation_id = world.read(lambda tx: tx.value(sql))
    assert json.loads(tertulia("export", conversation_id).stdout)["title"] == "Tides"


def test_what_cannot_be_imported_is_said_and_the_rest_is(world: ExportWorld, tmp_path: Path) -> None:
    plant(world)
    bundle = tmp_path / "bundle.json"
    tertulia("export", "-o", bundle)
    changed = json.loads(bundle.read_bytes())
    changed["conversations"][1]["conversation"]["head"] = "r99"
    bundle.write_text(json.dumps(changed))
    nonsense = tmp_path / "nonsense.json"
    nonsense.write_text("{")

    result = tertulia("import", bundle, nonsense, who="ben")
    assert result.exit_code == 1
    assert len(result.stdout.split()) == 2
    assert "conversation 2: " in result.stderr
    assert "no round r99" in result.stderr
    assert "nonsense.json: " in result.stderr


def test_a_bundle_of_another_version_is_refused(world: ExportWorld, tmp_path: Path) -> None:
    bundle = tmp_path / "bundle.json"
    bundle.write_text(
        json.dumps({"format": "tertulia.bundle", "version": 2, "projects": [], "conversations": []})
    )
    error = tertulia("import", bundle).exception
    assert isinstance(error, TertuliaError)
    assert "version" in error.message


def test_names_that_differ_in_case_alone_do_not_collide() -> None:
    taken: set[str] = set()
    assert [unused_file_name(title, "md", taken) for title in ("a", "A", "../a", None)] == [
        "a.md",
        "A (2).md",
        "a (3).md",
        "Conversation.md",
    ]
