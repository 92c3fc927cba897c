"""A file that is attached to a conversation is seen by those who may see the conversation, at every door."""

import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import pytest
from tests.context_world import done
from tests.files_world import stored, waiting
from tests.scripted_provider import Script, ScriptedProvider
from tests.search_world import indexed
from tests.world import Json, Person, World

from tertulia.core.errors import NotFound
from tertulia.models.calls import ToolCall
from tertulia.tools.domain import ToolCaller
from tertulia.tools.python.project_mount import mount_project
from tertulia.tools.registry import build_tool_registry

CANARY = "canary7319"
TEXT = f"The {CANARY} sings at midnight.\n"
PATH = "attachments/song.txt"


@dataclass
class Scene:
    """A project with a conversation of Ada's that has an attachment, seen by one person."""

    world: World
    provider: ScriptedProvider
    project_id: str
    conversation_id: str
    file_id: str

    @property
    def file(self) -> str:
        return f"/api/projects/{self.project_id}/files/{self.file_id}"

    async def tool(self, person: Person, name: str, conversation_id: str, **arguments: str) -> str:
        """Return what a tool gives that runs for a person in a conversation."""
        parts = self.world.server.parts
        box = build_tool_registry(parts.db, parts.files, parts.search.search)
        caller = ToolCaller(person.principal, self.project_id, conversation_id, model_is_local=True)
        return (await box.run(ToolCall("call_1", name, json.dumps(arguments)), caller)).text

    async def mounted(self, person: Person, conversation_id: str) -> str:
        """Return the paths of what code is lent that runs for a person in a conversation."""
        caller = ToolCaller(person.principal, self.project_id, conversation_id, model_is_local=True)
        try:
            lent = await self.world.db.read(lambda tx: mount_project(tx, caller), by=person.principal)
        except NotFound:
            return ""
        return CANARY * any(file.id == self.file_id for file in lent.files)

    async def mcp(self, person: Person, method: str, **params: object) -> str:
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        headers = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-11-25"}
        return (await person.post("/mcp", message, headers=headers)).text


async def made(person: Person, place: str, body: Json) -> Json:
    answer = await person.post(place, body)
    assert answer.status_code == 201, answer.text
    return answer.json()


async def conversation_of(person: Person, project_id: str) -> str:
    return (await made(person, "/api/conversations", {"project_id": project_id}))["id"]


async def attach(person: Person, conversation_id: str, path: str = "song.txt", content: str = TEXT) -> Json:
    body = {"path": path, "content": content}
    return (await made(person, f"/api/conversations/{conversation_id}/files", body))["files"][0]


@pytest.fixture
async def scene(world: World, ada: Person, provider: ScriptedProvider) -> Scene:
    project = await made(ada, "/api/projects", {"name": "Birds"})
    conversation = await conversation_of(ada, project["id"])
    file = await attach(ada, conversation)
    await indexed(world, meanings=False)
    return Scene(world, provider, project["id"], conversation, file["id"])


Door = Callable[[Scene, Person], Awaitable[str]]


def getting(path: str) -> Door:
    async def look(scene: Scene, person: Person) -> str:
        place = {"project": scene.project_id, "conversation": scene.conversation_id, "file": scene.file}
        return (await person.get(path.format(**place))).text

    return look


def posting(path: str, body: Json) -> Door:
    async def look(scene: Scene, person: Person) -> str:
        place = path.format(project=scene.project_id, conversation=scene.conversation_id)
        # A search says in its answer what was searched for: only what it found counts.
        return json.dumps((await person.post(place, body)).json().get("hits"))

    return look


def using(tool: str, *, elsewhere: bool = False, **arguments: str) -> Door:
    async def look(scene: Scene, person: Person) -> str:
        place = await conversation_of(person, scene.project_id) if elsewhere else scene.conversation_id
        return await scene.tool(person, tool, place, **arguments)

    return look


async def lent(scene: Scene, person: Person) -> str:
    return await scene.mounted(person, scene.conversation_id)


async def lent_elsewhere(scene: Scene, person: Person) -> str:
    return await scene.mounted(person, await conversation_of(person, scene.project_id))


async def prompt_elsewhere(scene: Scene, person: Person) -> str:
    """Return what a model is told in another conversation of the project: list, named file, passages."""
    scene.provider.script("scripted-fast", Script(reply="So be it."))
    await person.ask(f"Who sings at midnight? See #{PATH}", project_id=scene.project_id)
    return json.dumps(scene.provider.requests("scripted-fast")[0].body)


async def resources(scene: Scene, person: Person) -> str:
    uri = f"tertulia://project/{scene.project_id}/files/{PATH}"
    return await scene.mcp(person, "resources/list") + await scene.mcp(person, "resources/read", uri=uri)


#: Doors to the conversation and to the file itself: open to those who may see the conversation.
OF_CONVERSATION: dict[str, Door] = {
    "its list": getting("/api/conversations/{conversation}/files"),
    "the file": getting("{file}"),
    "its bytes": getting("{file}/content"),
    "a version": getting("{file}/versions/1"),
    "search in the project": posting("/api/projects/{project}/search", {"query": CANARY}),
    "search everywhere": posting("/api/search/global", {"query": CANARY}),
    "list_project_files": using("list_project_files"),
    "read_project_file": using("read_project_file", path=PATH),
    "search_project": using("search_project", query="sings at midnight"),
    "the sandbox": lent,
}
#: Doors to the project at large, and to other conversations in it: open once it was put into the project.
OF_PROJECT: dict[str, Door] = {
    "the project's list": getting("/api/projects/{project}/files"),
    "the project's tree": getting("/api/projects/{project}/files?depth=1&prefix=attachments"),
    "its path": getting(f"/api/projects/{{project}}/files/at?path={PATH}"),
    "MCP": resources,
}
#: The same, for those who may write.
OF_OTHER_CONVERSATIONS: dict[str, Door] = {
    "list_project_files elsewhere": using("list_project_files", elsewhere=True),
    "read_project_file elsewhere": using("read_project_file", elsewhere=True, path=PATH),
    "search_project elsewhere": using("search_project", elsewhere=True, query="sings at midnight"),
    "the sandbox elsewhere": lent_elsewhere,
    "a prompt elsewhere": prompt_elsewhere,
}


async def open_doors(scene: Scene, person: Person, doors: dict[str, Door]) -> set[str]:
    """Return the doors at which a person comes to see the attachment."""
    return {name for name, look in doors.items() if CANARY in await look(scene, person)}


async def test_an_attachment_shares_the_visibility_of_its_conversation(scene: Scene, ada: Person) -> None:
    world = scene.world
    member, viewer = await world.person(like=ada), await world.person(role="viewer", like=ada)
    stranger, admin = await world.person(), await world.person(role="admin", like=ada)
    every = OF_CONVERSATION | OF_PROJECT
    for other in (member, viewer, stranger, admin):
        assert await open_doors(scene, other, every) == set()
    for writer in (ada, member):
        assert await open_doors(scene, writer, OF_OTHER_CONVERSATIONS) == set()
    assert await open_doors(scene, ada, every) == set(OF_CONVERSATION)

    address = f"/api/conversations/{scene.conversation_id}"
    await done(ada.put(address, {"visibility": "workspace"}))
    await indexed(world, meanings=False)
    for reader in (ada, member, viewer):
        assert await open_doors(scene, reader, every) == set(OF_CONVERSATION)
    assert await open_doors(scene, stranger, every) == set()

    await done(ada.put(address, {"visibility": "private"}))
    for other in (member, viewer, stranger):
        assert await open_doors(scene, other, every) == set()


async def test_putting_an_attachment_into_the_project_shows_it_to_every_member(
    scene: Scene, ada: Person
) -> None:
    world = scene.world
    member, stranger = await world.person(like=ada), await world.person()
    viewer = await world.person(role="viewer", like=ada)
    action = f"{scene.file}/put-into-project"
    assert [(await one.post(action, {})).status_code for one in (member, viewer, stranger)] == [404, 403, 404]
    await done(ada.post(action, {}))
    await indexed(world, meanings=False)

    by_itself = OF_CONVERSATION.keys() - {"its list"}
    for reader in (member, viewer):
        seen = await open_doors(scene, reader, OF_CONVERSATION | OF_PROJECT)
        assert seen == by_itself | OF_PROJECT.keys()
    assert await open_doors(scene, member, OF_OTHER_CONVERSATIONS) == OF_OTHER_CONVERSATIONS.keys()
    assert await open_doors(scene, stranger, OF_CONVERSATION | OF_PROJECT) == set()
    again = await ada.post(action, {})
    assert (again.status_code, again.json()["error"]["code"]) == (409, "not_attached")


async def test_what_is_shown_to_a_member_counts_nothing_that_is_private_to_others(
    scene: Scene, ada: Person
) -> None:
    member = await scene.world.person(like=ada)
    project = f"/api/projects/{scene.project_id}"

    async def counts() -> list[Json]:
        await indexed(scene.world, meanings=False)
        places = (f"{project}/index", "/api/memory/debug/stats", f"{project}/files?depth=1")
        return [await done(member.get(place)) for place in places]

    before = await counts()
    await ada.ask("A secret of mine", project_id=scene.project_id)
    await attach(ada, scene.conversation_id, "more.txt", "More of it.\n")
    after = await counts()

    assert before[0]["total"] == 0
    # The index of words is one for all: only the share of it is told, which rounds.
    for page in (before, after):
        page[1].pop("words_bytes", None)
    assert after == before


async def test_only_those_who_may_write_in_a_conversation_attach_to_it(scene: Scene, ada: Person) -> None:
    world = scene.world
    people = [await world.person(like=ada), await world.person(role="viewer", like=ada), await world.person()]
    place = f"/api/conversations/{scene.conversation_id}/files"
    body = {"path": "song.txt", "content": "mine now"}

    assert [(await person.post(place, body)).status_code for person in people] == [404, 403, 404]
    assert (await done(ada.get(place)))["files"][0]["version"] == 1


async def test_attachments_go_with_their_conversation(scene: Scene, ada: Person) -> None:
    await ada.delete(f"/api/conversations/{scene.conversation_id}")

    assert await stored(scene.world) == []
    assert await waiting(scene.world, scene.file_id) == []
