"""Files of a conversation: paths of their own, shown to its models, put into the project on request."""

from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest
from tests.context_world import done
from tests.files_world import Shelf, waiting
from tests.scripted_provider import Script, ScriptedProvider
from tests.world import Json, Person, World

from tertulia.infra.db.sqlite import migration as migrating
from tertulia.infra.db.sqlite.connection import open_connection

MODEL = "openai/scripted-fast"
#: The migration that lets files belong to conversations.
ATTACHMENTS = 16


class Attached:
    """A conversation in a project, and its files."""

    def __init__(self, shelf: Shelf, conversation_id: str) -> None:
        self.shelf = shelf
        self.id = conversation_id
        self.url = f"/api/conversations/{conversation_id}/files"

    @classmethod
    async def of(cls, shelf: Shelf) -> "Attached":
        made = await shelf.person.post("/api/conversations", {"project_id": shelf.project_id})
        return cls(shelf, made.json()["id"])

    async def add(self, path: str, content: str) -> Json:
        answer = await self.shelf.person.post(self.url, {"path": path, "content": content})
        assert answer.status_code == 201, answer.text
        return answer.json()["files"][0]

    async def paths(self) -> list[str]:
        page = await done(self.shelf.person.get(self.url))
        return [file["path"] for file in page["files"]]

    async def told(self, question: str, provider: ScriptedProvider) -> str:
        """Return what the model is told that is asked here."""
        provider.script("scripted-fast", Script(reply="So be it."))
        await self.shelf.person.ask(question, conversation_id=self.id, models=[MODEL])
        return str(provider.requests("scripted-fast")[-1].body)


@pytest.fixture
async def shelf(ada: Person) -> Shelf:
    return await Shelf.of(ada)


async def test_each_conversation_has_paths_of_its_own(shelf: Shelf) -> None:
    one, other = await Attached.of(shelf), await Attached.of(shelf)
    await shelf.write("attachments/plan.md", "the project's")
    first = await one.add("plan.md", "the first one's")
    second = await other.add("attachments/plan.md", "the other's")
    again = await one.add("plan.md", "the first one's, changed")

    assert (first["path"], first["version"], again["version"]) == ("attachments/plan.md", 1, 2)
    assert (again["id"], second["version"]) == (first["id"], 1)
    assert await shelf.paths() == await one.paths() == await other.paths() == ["attachments/plan.md"]


async def test_in_its_conversation_an_attachment_goes_before_a_file_of_the_project(
    shelf: Shelf, provider: ScriptedProvider
) -> None:
    here = await Attached.of(shelf)
    await shelf.write("attachments/plan.md", "the words of the project")
    await here.add("plan.md", "the words attached here")
    told = await here.told("Sum up #attachments/plan.md", provider)

    assert "the words attached here" in told
    assert "the words of the project" not in told
    assert told.count("- attachments/plan.md (") == 1


async def test_a_conversation_without_a_project_has_attachments(
    ada: Person, provider: ScriptedProvider
) -> None:
    made = await ada.post("/api/conversations", {"anchor": {"kind": "day", "id": "2026-05-04"}})
    here = Attached(await Shelf.of(ada), made.json()["id"])
    file = await here.add("plan.md", "the words attached here")

    assert file["project_id"] != here.shelf.project_id
    assert "the words attached here" in await here.told("Sum up #attachments/plan.md", provider)


async def test_an_attachment_stays_among_attachments_until_it_is_put_into_the_project(shelf: Shelf) -> None:
    here = await Attached.of(shelf)
    file = await here.add("plan.md", "words")
    address = f"{shelf.url}/{file['id']}"
    elsewhere = await shelf.person.post(f"{address}/move", {"path": "tools/plan.py"})
    moved = await done(shelf.person.post(f"{address}/move", {"path": "attachments/later.md"}))
    put = await done(shelf.person.post(f"{address}/put-into-project", {"path": "docs/plan.md"}))

    assert (elsewhere.status_code, elsewhere.json()["error"]["code"]) == (422, "path_invalid")
    assert (moved["path"], moved["conversation_id"]) == ("attachments/later.md", here.id)
    assert (put["path"], put["conversation_id"]) == ("docs/plan.md", None)
    assert await shelf.paths() == ["docs/plan.md"]


async def test_what_is_in_the_way_keeps_an_attachment_out_of_the_project(shelf: Shelf) -> None:
    here = await Attached.of(shelf)
    await shelf.write("attachments/plan.md", "the project's")
    file = await here.add("plan.md", "attached")
    refused = await shelf.person.post(f"{shelf.url}/{file['id']}/put-into-project", {})

    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "path_taken")
    assert (await shelf.read(file["id"]))["conversation_id"] == here.id


async def test_what_is_done_to_folders_of_the_project_does_not_touch_attachments(shelf: Shelf) -> None:
    here = await Attached.of(shelf)
    await here.add("plan.md", "attached")
    await shelf.write("attachments/other.md", "the project's")
    answer = await shelf.person.client.delete(shelf.url, params={"prefix": "attachments"})

    assert answer.json() == {"files": 1}
    assert await here.paths() == ["attachments/plan.md"]


@pytest.fixture
def older(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[apsw.Connection]:
    """A database as it was before files could be attached, with a person, a project and a member."""
    connection = open_connection(tmp_path / "tertulia.db", busy_seconds=1)
    every = migrating.load_migrations()
    with monkeypatch.context() as patch:
        patch.setattr(migrating, "load_migrations", lambda: [one for one in every if one[0] < ATTACHMENTS])
        migrating.migrate(connection)
    connection.execute(
        """INSERT INTO workspaces (id, name, settings, created_at) VALUES ('w', 'W', '{}', 0);
           INSERT INTO users (id, email, name, password_hash, status, created_at)
           VALUES ('ada', 'a@x', 'Ada', '!', 'active', 0), ('bob', 'b@x', 'Bob', '!', 'active', 0);
           INSERT INTO projects (id, workspace_id, name, created_by, created_at, updated_at)
           VALUES ('p', 'w', 'P', 'ada', 0, 0)"""
    )
    yield connection
    connection.close()


def add_file(connection: apsw.Connection, name: str, *, by: str = "ada") -> None:
    connection.execute(
        """INSERT INTO files (id, workspace_id, project_id, path, version, hash, size, mime, media,
             created_by, created_at, updated_at)
           VALUES (:id, 'w', 'p', :path, 1, :id, 1, 'text/plain', 'text', :by, 0, 0);
           INSERT INTO contents (workspace_id, hash, size, data, created_at) VALUES ('w', :id, 1, x'00', 0);
           INSERT INTO file_versions (file_id, version, workspace_id, hash, size, mime, media, created_by,
             created_at) VALUES (:id, 1, 'w', :id, 1, 'text/plain', 'text', :by, 0);
           INSERT INTO sources (workspace_id, kind, source_id, project_id, path, said_at, state)
           VALUES ('w', 'file', :id, 'p', :path, 0, 'ready')""",
        {"id": name, "path": name if "/" in name else f"attachments/{name}", "by": by},
    )


def add_question(
    connection: apsw.Connection, number: int, text: str, *, by: str = "ada", visibility: str = "private"
) -> None:
    connection.execute(
        """INSERT INTO conversations (id, workspace_id, owner_id, project_id, anchor, visibility, created_at,
             updated_at) VALUES (:c, 'w', :by, 'p', 'project', :visibility, 0, 0);
           INSERT INTO rounds (id, workspace_id, conversation_id, number, policy, author_id, created_at)
           VALUES (:r, 'w', :c, 1, 'everyone', :by, 0);
           INSERT INTO messages (id, workspace_id, conversation_id, round_id, speaker, content, created_at)
           VALUES (:m, 'w', :c, :r, 'user', :text, 0)""",
        {
            "c": f"c{number}",
            "r": f"r{number}",
            "m": f"m{number}",
            "by": by,
            "text": text,
            "visibility": visibility,
        },
    )


def homes(connection: apsw.Connection, path: str) -> list[tuple[object, ...]]:
    """Return the conversations that a path is attached to, and who finds it there."""
    sql = """SELECT f.conversation_id, s.conversation_id, s.owner_id FROM files AS f
        JOIN sources AS s ON s.source_id = f.id JOIN file_versions AS v ON v.file_id = f.id
        WHERE f.path = :path ORDER BY 1"""
    return list(connection.execute(sql, {"path": path}))


def test_attachments_from_before_belong_to_the_private_conversations_that_name_them(
    older: apsw.Connection,
) -> None:
    for name in ("mine.txt", "twice.txt", "shared.txt", "others.txt", "docs/plan.md"):
        add_file(older, name)
    add_file(older, "my note.txt")
    add_question(older, 1, "See #attachments/mine.txt, #attachments/twice.txt and #docs/plan.md")
    add_question(older, 2, 'And #"attachments/my note.txt" #attachments/twice.txt #attachments/others.txt')
    add_question(older, 3, "See #attachments/shared.txt", visibility="workspace")
    add_question(older, 4, "See #attachments/others.txt", by="bob")
    migrating.migrate(older)

    assert homes(older, "attachments/mine.txt") == [("c1", "c1", "ada")]
    assert homes(older, "attachments/my note.txt") == [("c2", "c2", "ada")]
    assert homes(older, "attachments/twice.txt") == [("c1", "c1", "ada"), ("c2", "c2", "ada")]
    for stays in (
        "attachments/shared.txt",
        "attachments/others.txt",
        "docs/plan.md",
    ):
        assert homes(older, stays) == [(None, None, None)]
    assert older.execute("SELECT count(*) FROM contents").get == 6


def test_a_longer_name_or_one_in_another_project_does_not_name_an_attachment_from_before(
    older: apsw.Connection,
) -> None:
    for name in ("Makefile", "plan", "ended", "again"):
        add_file(older, name)
    add_file(older, "Makefile.bak", by="bob")
    add_question(
        older, 1, "See #attachments/Makefile\n#attachments/plan, (#attachments/ended). #attachments/again"
    )
    add_question(
        older, 2, "Mine: #attachments/Makefile.bak #attachments/plans #attachments/ended-not", by="bob"
    )
    add_question(older, 3, "Yours: #attachments/again.md, #attachments/again!", by="bob")
    older.execute(
        """INSERT INTO projects (id, workspace_id, name, created_by, created_at, updated_at)
           VALUES ('q', 'w', 'Q', 'bob', 0, 0)"""
    )
    add_question(older, 4, "Here: #attachments/Makefile", by="bob")
    older.execute("UPDATE conversations SET project_id = 'q' WHERE id = 'c4'")
    migrating.migrate(older)

    for name in ("Makefile", "plan", "ended"):
        assert homes(older, f"attachments/{name}") == [("c1", "c1", "ada")]
    assert homes(older, "attachments/Makefile.bak") == [("c2", "c2", "bob")]
    assert homes(older, "attachments/again") == [(None, None, None)]


def test_attachments_from_before_that_nobody_names_are_their_uploaders_alone(older: apsw.Connection) -> None:
    for name in ("unsent.txt", "gone.txt", "rewritten.txt", "standing.txt"):
        add_file(older, name)
    add_file(older, "bob's.txt", by="bob")
    older.execute(
        """INSERT INTO file_versions (file_id, version, workspace_id, hash, size, mime, media, created_by,
             created_at) VALUES ('rewritten.txt', 2, 'w', 'rewritten.txt', 1, 'text/plain', 'text', 'bob', 0);
           UPDATE files SET always_in_context = 1 WHERE id = 'standing.txt'"""
    )
    migrating.migrate(older)

    made = older.execute("SELECT owner_id, id, visibility, project_id, title FROM conversations").fetchall()
    ids = {owner: id_ for owner, id_, *_ in made}
    assert sorted((owner, *rest) for owner, _, *rest in made) == [
        ("ada", "private", "p", "attachments"),
        ("bob", "private", "p", "attachments"),
    ]
    for name, owner in (("unsent.txt", "ada"), ("gone.txt", "ada"), ("bob's.txt", "bob")):
        assert homes(older, f"attachments/{name}") == [(ids[owner], ids[owner], owner)]
    for stays in ("attachments/rewritten.txt", "attachments/standing.txt"):
        assert set(homes(older, stays)) == {(None, None, None)}


def test_deleting_a_file_takes_its_versions_and_contents_also_after_the_table_was_rebuilt(
    older: apsw.Connection,
) -> None:
    add_file(older, "mine.txt")
    migrating.migrate(older)
    older.execute("DELETE FROM files")

    for table in ("file_versions", "contents", "sources"):
        assert older.execute(f"SELECT count(*) FROM {table}").get == 0


async def test_attachments_are_exported_and_imported_with_their_conversation(
    shelf: Shelf, provider: ScriptedProvider
) -> None:
    here, person = await Attached.of(shelf), shelf.person
    file = await here.add("plan.md", "the words attached here")
    await here.add("large.bin", "0123456789" * 150_000)
    await person.client.patch(f"{shelf.url}/{file['id']}/metadata", json={"local_only": True, "tags": ["a"]})
    exported = (await person.post(f"/api/conversations/{here.id}/export", {"format": "json"})).json()
    answer = await person.post("/api/conversations/import", exported)
    assert answer.status_code == 201, answer.text
    there = Attached(shelf, answer.json()["id"])

    copies = (await done(person.get(there.url)))["files"]
    assert [(one["path"], one["local_only"], one["tags"]) for one in copies] == [
        ("attachments/large.bin", False, []),
        ("attachments/plan.md", True, ["a"]),
    ]
    assert {one["hash"] for one in copies} > {file["hash"]}
    again = (await person.post(f"/api/conversations/{there.id}/export", {"format": "json"})).json()
    assert again["files"] == exported["files"]


@pytest.mark.parametrize("files", [[{"path": "../x"}], [{"path": "x"}, {"path": "attachments/x"}]])
async def test_a_document_with_paths_that_cannot_be_is_not_imported(shelf: Shelf, files: list[Json]) -> None:
    here, person = await Attached.of(shelf), shelf.person
    exported = (await person.post(f"/api/conversations/{here.id}/export", {"format": "json"})).json()
    before = (await done(person.get("/api/conversations")))["conversations"]
    refused = await person.post("/api/conversations/import", exported | {"files": files})

    assert (refused.status_code, refused.json()["error"]["code"]) == (422, "import_unreadable")
    assert (await done(person.get("/api/conversations")))["conversations"] == before


async def test_what_was_deleted_and_restored_is_attached_again(shelf: Shelf, world: World) -> None:
    here, person = await Attached.of(shelf), shelf.person
    file = await here.add("plan.md", "the words attached here")
    gone = await person.post(f"{shelf.url}/deletion", {"file_ids": [file["id"]], "folders": []})
    assert await here.paths() == []
    await person.post(f"/api/deletions/{gone.json()['id']}/restore")
    assert await here.paths() == ["attachments/plan.md"]

    gone = await person.post(f"/api/conversations/{here.id}/deletion")
    assert (await person.get(f"{shelf.url}/{file['id']}")).status_code == 404
    await person.post(f"/api/deletions/{gone.json()['id']}/restore")
    assert await here.paths() == ["attachments/plan.md"]
    assert await waiting(world, file["id"])
