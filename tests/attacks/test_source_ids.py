"""Whoever may not see what a reply was written from finds no id, path or title of it, at any door.

A shared conversation quotes a private one and a private file, in every kind of reply. Another member,
an admin even, asks every route that reads, and listens: the ids are looked for in the raw bytes.
"""

from collections.abc import AsyncGenerator, Awaitable, Callable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from tests.context_world import done, set_flags
from tests.files_world import Shelf
from tests.scripted_provider import Script, ScriptedCall, ScriptedProvider
from tests.search_world import indexed, until
from tests.tools_world import give_letters
from tests.world import Json, Person, World

from tertulia.context import recall
from tertulia.conversations import tool_runs, tool_sources
from tertulia.conversations.domain import Table
from tertulia.conversations.message_pictures import add_attachment
from tertulia.infra.db import Tx
from tertulia.models.calls import Image
from tertulia.server import create_app
from tertulia.settings import Settings
from tertulia.tools import grants

MODEL, WORKER = "openai/scripted-smart", "openai/worker"
ABOUT_IT = "What is the password of the lighthouse?"
TITLE, PATH = "About heliotrope", "attachments/umber-tides.md"
KINDS = ("answer", "merge", "judge", "continue", "regenerate")
#: Routes that never end.
STREAMS = {"/api/events", "/api/conversations/{conversation_id}/events"}


@pytest.fixture
async def world(
    tmp_path: Path, provider: ScriptedProvider, monkeypatch: pytest.MonkeyPatch
) -> AsyncGenerator[World]:
    # On a busy machine a reply would go on without its passages.
    monkeypatch.setattr(recall, "RECALL_TIMEOUT_SECONDS", 30)
    look = ScriptedCall(name="search_project", arguments='{"query": "password of the lighthouse"}')
    provider.script("scripted-fast", Script(reply="Noted."))
    provider.script("scripted-smart", Script(reply="It is [1].", tool_calls=[look], finish="length"))
    provider.script("utility", Script(reply="About the coast"))
    env = {"TERTULIA_BUILTIN_MODEL": "off", "TERTULIA_UTILITY_MODEL": "openai/utility"}
    async with World.open(tmp_path / "data", provider=provider, **env) as world:
        yield world


@dataclass
class Quoting:
    """Ada's conversation, what it quotes of hers, and Bea, who is to hear nothing of that."""

    world: World
    ada: Person
    bea: Person
    shelf: Shelf
    #: The conversation and the file that are quoted.
    source_id: str
    file_id: str
    #: All by which those could be named.
    names: list[str]
    quoting_id: str = ""
    #: A reply of each kind, and a call of a tool in it.
    replies: dict[str, str] = field(default_factory=dict[str, str])
    calls: dict[str, str] = field(default_factory=dict[str, str])
    round_id: str = ""

    @classmethod
    async def begun(cls, world: World) -> "Quoting":
        ada = await world.person(role="owner")
        bea = await world.person(role="admin", like=ada)
        await set_flags(ada, summary_frequency=0)
        shelf = await Shelf.of(ada)
        file = await shelf.write(PATH, "The password of the lighthouse stands on the tides.")
        turn = await ada.start("The password of the lighthouse is mauve.", project_id=shelf.project_id)
        said, source = await ada.finished(turn), turn["conversation"]["id"]
        await done(ada.put(f"/api/conversations/{source}/title", {"title": TITLE}))
        await indexed(world, meanings=False)
        names = [source, said["id"], said["question"]["id"], said["replies"][0]["id"], TITLE]
        return cls(world, ada, bea, shelf, source, file["id"], [*names, file["id"]])

    async def ask(self, *, shared: bool = False) -> None:
        """Have Ada ask for every kind of reply, in a conversation that is shared already or not."""
        await indexed(self.world, meanings=False)
        made = await self.ada.post("/api/conversations", {"project_id": self.shelf.project_id})
        self.quoting_id = made.json()["id"]
        if shared:
            await self.share(self.quoting_id)
        asked = {"message": ABOUT_IT, "models": [MODEL], "conversation_id": self.quoting_id}
        await self._begin("answer", "/api/turn", asked)
        place, first = f"/api/rounds/{self.round_id}", f"/api/replies/{self.replies['answer']}"
        await self._begin("continue", f"{first}/continue")
        await self._begin("regenerate", f"{first}/regenerate")
        await self._begin("merge", f"{place}/merge", {"model": MODEL})
        await self._begin("judge", f"{place}/judge", {"model": MODEL})

    async def _begin(self, kind: str, path: str, body: Json | None = None) -> None:
        answer = await self.ada.post(path, body or {})
        assert answer.status_code == 202, answer.text
        round_ = await self.ada.finished(answer.json())
        reply = max(round_["replies"], key=lambda reply: reply["id"])
        self.replies[kind], self.round_id = reply["id"], round_["id"]
        self.calls[kind] = reply["tool_calls"][0]["id"] if reply["tool_calls"] else "none"

    async def share(self, conversation: str, visibility: str = "workspace") -> None:
        await done(self.ada.put(f"/api/conversations/{conversation}", {"visibility": visibility}))

    async def attach_file(self) -> None:
        """Make the file an attachment of the private conversation, as an update does with earlier ones."""

        def move(tx: Tx) -> None:
            here = {"id": self.source_id, "file": self.file_id}
            tx.run(
                "UPDATE files SET conversation_id = :id WHERE id = :file AND workspace_id = :workspace",
                **here,
            )
            tx.run(
                """UPDATE sources SET conversation_id = :id, owner_id = :me
                   WHERE source_id = :file AND workspace_id = :workspace""",
                **here,
            )

        await self.world.db.write(move, by=self.ada.principal)

    async def passages(self, person: Person) -> dict[str, list[Json]]:
        """Return what a person is told of the passages of each kind of reply."""
        round_ = await person.round(self.quoting_id, self.round_id)
        told = {reply["id"]: reply["passages"] for reply in round_["replies"]}
        return {kind: told[reply] for kind, reply in self.replies.items()}

    async def doors(self, person: Person) -> dict[str, bytes]:
        """Return the bytes of every answer that a person gets who reads, searches, exports and listens."""
        found: dict[str, bytes] = {}
        for call in reading_calls():
            for kind in KINDS if "{reply_id}" in call else KINDS[:1]:
                path = call.format_map(self._things(kind))
                found[f"{kind}: {call}"] = (await person.get(path)).content
        for path, body in self._questions():
            found[f"{path} {body}"] = (await person.post(path, body)).content
        for path in (f"/api/conversations/{self.quoting_id}/events?after=0", self._feed):
            found[path] = await heard(person, path, rounds=len(self.replies))
        return found

    @property
    def _feed(self) -> str:
        return f"/api/events?conversation={self.quoting_id}&after=0.0"

    def _things(self, kind: str) -> dict[str, str]:
        return Things(
            conversation_id=self.quoting_id,
            round_id=self.round_id,
            reply_id=self.replies[kind],
            message_id=self.replies[kind],
            call_id=self.calls[kind],
            project_id=self.shelf.project_id,
            file_id=self.file_id,
            user_id=self.ada.principal.user_id,
            number="1",
        )

    def _questions(self) -> list[tuple[str, Json]]:
        place = f"/api/conversations/{self.quoting_id}"
        search = {"query": "password of the lighthouse", "conversation_id": self.quoting_id}
        asked = {"message": ABOUT_IT, "models": [MODEL], "conversation_id": self.quoting_id}
        calls = [
            ("list_conversations", {"project_id": self.shelf.project_id}),
            ("read_conversation", {"conversation_id": self.quoting_id}),
            ("search_project", {"query": "password of the lighthouse"}),
        ]
        return [
            (f"{place}/export", {"format": "json"}),
            (f"{place}/export", {"format": "markdown"}),
            ("/api/search", search),
            (f"/api/projects/{self.shelf.project_id}/search", search),
            ("/api/context/preview", asked),
            *((f"/mcp/projects/{self.shelf.project_id}", mcp_call(*call)) for call in calls),
        ]


class Things(dict[str, str]):
    """Ids by what routes call them; of what there is none here, one that does not exist."""

    def __missing__(self, name: str) -> str:
        return "none"


def mcp_call(tool: str, arguments: dict[str, str]) -> Json:
    return {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": tool, "arguments": arguments},
    }


@cache
def reading_calls() -> list[str]:
    """Return every address that is read, with what has it tell the most."""
    more = {"receipt": "?texts=true", "context": "?question=What+is+the+password+of+the+lighthouse"}
    paths: dict[str, Any] = create_app(Settings(data_dir=Path("unused"))).openapi()["paths"]
    read = [path for path, methods in paths.items() if "get" in methods and path not in STREAMS]
    return [path + more.get(path.rpartition("/")[2], "") for path in read]


async def heard(person: Person, path: str, *, rounds: int) -> bytes:
    """Return what a stream says until the last reply is closed; nothing where there is no stream for them."""
    said = b""
    async with person.client.stream("GET", path) as stream:
        if stream.status_code != 200:
            return await stream.aread()
        async for piece in stream.aiter_bytes():
            said += piece
            if said.count(b'"type":"round.closed"') >= rounds:
                break
    return said


def named_in(doors: dict[str, bytes], names: list[str]) -> dict[str, list[str]]:
    """Return which names stand at which door."""
    found = {door: [name for name in names if name.encode() in said] for door, said in doors.items()}
    return {door: names for door, names in found.items() if names}


@pytest.fixture
async def quoting(world: World) -> Quoting:
    return await Quoting.begun(world)


Hide = Callable[[Quoting], Awaitable[None]]


async def quoted_before_it_was_shared(quoting: Quoting) -> None:
    await quoting.ask()
    await quoting.attach_file()
    assert named_in(await quoting.doors(quoting.bea), quoting.names) == {}, "before it is shared"
    await quoting.share(quoting.quoting_id)


async def quoted_while_all_was_shared(quoting: Quoting) -> None:
    await quoting.share(quoting.source_id)
    await quoting.ask(shared=True)
    assert named_in(await quoting.doors(quoting.bea), quoting.names), "she may see it so far"
    await quoting.attach_file()
    await quoting.share(quoting.source_id, "private")


@pytest.mark.parametrize("hide", [quoted_before_it_was_shared, quoted_while_all_was_shared])
async def test_no_answer_and_no_event_names_a_source_that_its_reader_may_not_see(
    quoting: Quoting, hide: Hide
) -> None:
    await hide(quoting)
    doors = await quoting.doors(quoting.bea)
    assert named_in(doors, quoting.names) == {}
    assert sum(b'"is_hidden":true' in said for said in doors.values()) > len(KINDS)

    theirs, own = await quoting.passages(quoting.bea), await quoting.passages(quoting.ada)
    for kind in KINDS:
        assert {passage["kind"] for passage in theirs[kind] if passage["is_hidden"]} == {"file", "message"}
        for told in ("number", "kind", "tokens"):
            assert [one[told] for one in theirs[kind]] == [one[told] for one in own[kind]], "all are counted"
        assert not any(passage["path"] == PATH for passage in theirs[kind])
    mine = named_in(await quoting.doors(quoting.ada), quoting.names)
    assert {name for names in mine.values() for name in names} == set(quoting.names), "she is told all of it"


async def test_what_tools_gave_of_an_attachment_is_told_to_who_may_see_it_alone_and_never_once_it_is_deleted(
    quoting: Quoting, provider: ScriptedProvider
) -> None:
    """The file lay in the project when it was quoted: an update attached it to a private conversation."""
    ada, bea, shelf = quoting.ada, quoting.bea, quoting.shelf
    found = await shelf.write("attachments/zinc.md", "The zinc kettle holds the orpiment.")
    calls = [
        ScriptedCall(name="search_project", arguments='{"query": "zinc kettle"}'),
        ScriptedCall(name="list_project_files", arguments="{}"),
    ]
    provider.script("scripted-smart", Script(reply="It is [1].", tool_calls=calls, finish="length"))
    await quoting.ask()
    quoting.file_id, first = found["id"], quoting.file_id
    await quoting.attach_file()
    quoting.file_id = first
    await quoting.attach_file()
    await quoting.share(quoting.quoting_id)
    secrets = [*quoting.names, PATH, "zinc.md", "orpiment"]
    assert named_in(await quoting.doors(bea), secrets) == {}
    own = named_in(await quoting.doors(ada), secrets)
    assert {name for names in own.values() for name in names} == set(secrets), "she is told all of it"

    for file_id in (found["id"], quoting.file_id):
        assert (await ada.delete(f"{shelf.url}/{file_id}")).status_code == 204
        assert named_in(await quoting.doors(bea), secrets) == {}, "a deletion shows nothing"
    assert (await ada.delete(f"/api/conversations/{quoting.source_id}")).status_code == 204
    assert named_in(await quoting.doors(bea), secrets) == {}


async def test_figures_and_tables_made_of_an_attachment_are_seen_by_who_may_see_it_alone(
    quoting: Quoting,
) -> None:
    ada, bea = quoting.ada, quoting.bea
    await quoting.ask()
    await quoting.share(quoting.quoting_id)
    reply, call = quoting.replies["answer"], quoting.calls["answer"]
    table = Table(columns=["umber"], rows=[["tides"]], rows_in_all=1)

    def draw(tx: Tx) -> str:
        figure = add_attachment(tx, quoting.quoting_id, Image("image/png", b"drawn"))
        drawn = {"attachments": [figure], "tables": [table], "quotes": []}
        run = tool_runs.change(tx, reply, call, **drawn)
        assert run
        tool_sources.add_sources(tx, reply, call, [quoting.file_id])
        sql = "UPDATE replies SET tool_calls = :calls WHERE id = :id AND workspace_id = :workspace"
        tx.run(sql, calls=[run.to_visible_call()], id=reply)
        return figure.id

    figure_id = await quoting.world.db.write(draw, by=ada.principal)

    async def told(person: Person) -> tuple[int, int, int]:
        round_ = await person.round(quoting.quoting_id, quoting.round_id)
        [shown] = [one["tool_calls"][0] for one in round_["replies"] if one["id"] == reply]
        picture = await person.get(f"/api/attachments/{figure_id}")
        return picture.status_code, len(shown["attachments"]), len(shown["tables"])

    assert await told(bea) == (200, 1, 1)
    await quoting.attach_file()
    assert (await told(bea), await told(ada)) == ((404, 0, 0), (200, 1, 1))


async def test_what_is_deleted_is_named_to_nobody(quoting: Quoting) -> None:
    await quoting.share(quoting.source_id)
    await quoting.ask(shared=True)
    assert (await quoting.ada.delete(f"/api/conversations/{quoting.source_id}")).status_code == 204
    names = [name for name in quoting.names if name != quoting.file_id]
    assert named_in(await quoting.doors(quoting.bea), names) == {}


async def test_a_conversation_that_is_shared_while_it_is_answered_names_no_private_source(
    quoting: Quoting, provider: ScriptedProvider
) -> None:
    """The models were asked with what was private then; who comes in meanwhile hears of it as it goes on."""
    give_letters(quoting.world)
    letter = ScriptedCall(name="send_letter", arguments='{"text": "Dear Bea"}')
    provider.script("worker", Script(reply="It is [1].", tool_calls=[letter]))
    turn = await quoting.ada.start(ABOUT_IT, models=[WORKER], project_id=quoting.shelf.project_id)
    await quoting.ada.wait_for(turn, "reply.waiting")
    conversation, round_id = turn["conversation"]["id"], turn["round"]["id"]
    await quoting.share(conversation)
    await done(quoting.bea.get(f"/api/conversations/{conversation}"))
    assert (await quoting.bea.post(f"/api/rounds/{round_id}/stop")).status_code in (202, 204)
    said = await heard(quoting.bea, f"/api/conversations/{conversation}/events?after=0", rounds=1)
    assert named_in({"events": said}, quoting.names[:-1]) == {}

    [reply] = (await quoting.ada.round(conversation, round_id))["replies"]
    quoted = [passage for passage in reply["passages"] if passage["conversation_id"] == quoting.source_id]
    assert quoted, "whoever stops it, nothing of it is lost to who may see it"
    assert said.count(b'"is_hidden":true') == 2 * len(quoted), "when it began and when it ended"
    told = await heard(quoting.ada, f"/api/conversations/{conversation}/events?after=0", rounds=1)
    title = f'"title":"{TITLE}","conversation_id"'.encode()
    assert told.count(title) == 2 * len(quoted), "what is heard has titles too"


async def test_a_source_that_is_hidden_is_neither_marked_nor_left_out_by_name(quoting: Quoting) -> None:
    await quoting.ask()
    await quoting.share(quoting.quoting_id)
    reply, passages = quoting.replies["answer"], (await quoting.passages(quoting.bea))["answer"]
    number = next(passage["number"] for passage in passages if passage["is_hidden"])
    marked = await quoting.bea.put(f"/api/replies/{reply}/citations/{number}", {"good": True})
    assert marked.status_code == 404
    receipt = await done(quoting.bea.get(f"/api/replies/{reply}/receipt"))
    items = [item for section in receipt["plan"]["sections"] for item in section["items"]]
    hidden = next(item["id"] for item in items if item["is_hidden"])
    refused = await quoting.bea.post(f"/api/replies/{reply}/regenerate", {"leave_out": [hidden]})
    assert (refused.status_code, refused.json()["error"]["code"]) == (422, "not_to_be_left_out")


async def test_ones_own_lists_name_no_conversation_that_is_private_again(quoting: Quoting) -> None:
    """What a person searched for or allowed in a conversation while it was shared stays theirs, unnamed."""
    bea, shared = quoting.bea, quoting.source_id
    await quoting.share(shared)
    asked = {"message": ABOUT_IT, "models": ["openai/scripted-fast"], "conversation_id": shared}
    await bea.finished((await bea.post("/api/turn", asked)).json())
    await quoting.world.db.write(lambda tx: grants.add(tx, "send_letter", shared), by=bea.principal)

    async def named() -> dict[str, list[str]]:
        told = {path: (await bea.get(path)).content for path in ("/api/memory/metrics", "/api/tool-grants")}
        return named_in(told, [shared, "lighthouse"])

    async def names_both() -> bool:
        return len(await named()) == 2

    await until(names_both)  # as long as she may see it
    await quoting.share(shared, "private")
    assert await named() == {}
    assert (await done(bea.get("/api/memory/metrics")))["searches"] > 0
