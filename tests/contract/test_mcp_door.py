"""Any agent that speaks MCP: shown with the official package, against the real server."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client
from mcp.types import CallToolResult, TextContent, TextResourceContents
from tests.files_world import Shelf
from tests.scripted_provider import Script, ScriptedProvider
from tests.search_world import indexed, until
from tests.world import Json, Person, World

#: The version that begins with a greeting, the newest one, and whichever the package finds out.
MODES = ["legacy", "2026-07-28", "auto"]
TOOLS = [
    "list_projects",
    "list_project_files",
    "read_project_file",
    "search_project",
    "list_conversations",
    "read_conversation",
]
PLAN = "# Plan\n\nThe lighthouse is painted in May.\n"
GREETING = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}


@asynccontextmanager
async def visiting(
    world: World, person: Person, project_id: str | None = None, *, mode: str = "auto"
) -> AsyncGenerator[Client]:
    """Open the door for a person's agent."""
    place = f"/mcp/projects/{project_id}" if project_id else "/mcp"
    transport = streamable_http_client(f"{world.url}{place}", http_client=world.client(person.token))
    async with Client(transport, mode=mode) as client:
        yield client


async def told(client: Client, tool: str, **arguments: Any) -> str:
    """Call a tool and return what it says, which is no error."""
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content
    return text_of(result)


async def failed(client: Client, tool: str, **arguments: Any) -> str:
    result = await client.call_tool(tool, arguments)
    assert result.is_error
    return text_of(result)


def text_of(result: CallToolResult) -> str:
    content = result.content[0]
    assert isinstance(content, TextContent)
    return content.text


async def post(person: Person, message: Any, place: str = "/mcp", **headers: str) -> Any:
    return await person.client.post(place, json=message, headers=headers)


def request(method: str, **params: Any) -> Json:
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}


@pytest.fixture
async def shelf(world: World, ada: Person) -> Shelf:
    shelf = await Shelf.of(ada, "Lighthouse")
    await shelf.write("docs/the plan.md", PLAN)
    await shelf.write("notes.txt", "one\ntwo\nthree\n")
    return shelf


@pytest.mark.parametrize("mode", MODES)
async def test_every_tool_can_be_called(
    world: World, ada: Person, shelf: Shelf, provider: ScriptedProvider, mode: str
) -> None:
    # Without a script it repeats the question, with what was found about it where that was in time.
    provider.script("scripted-fast", Script(reply="The keeper paints it."))
    turn = await ada.start("Who paints the lighthouse?", project_id=shelf.project_id)
    await ada.finished(turn)
    await indexed(world, meanings=False)
    here = {"project_id": shelf.project_id}

    async with visiting(world, ada, mode=mode) as client:
        assert [tool.name for tool in (await client.list_tools()).tools] == TOOLS
        assert f"{shelf.project_id}: Lighthouse" in await told(client, "list_projects")
        assert "docs/the plan.md" in await told(client, "list_project_files", **here)
        assert "2: two" in await told(client, "read_project_file", path="notes.txt", **here)
        assert "painted in May" in await told(client, "search_project", query="lighthouse", **here)
        assert turn["conversation"]["id"] in await told(client, "list_conversations", **here)
        said = await told(client, "read_conversation", conversation_id=turn["conversation"]["id"])

    assert "Who paints the lighthouse?\n</message>" in said
    assert "The keeper paints it.\n</message>" in said


async def test_the_figures_of_a_search_are_kept(world: World, ada: Person, shelf: Shelf) -> None:
    async def is_counted() -> bool:
        return (await ada.get("/api/memory/metrics")).json()["searches"] == 1

    async with visiting(world, ada, mode=MODES[0]) as client:
        await told(client, "search_project", query="lighthouse", project_id=shelf.project_id)
    await until(is_counted)


@pytest.mark.parametrize("mode", MODES)
async def test_files_are_resources(world: World, ada: Person, shelf: Shelf, mode: str) -> None:
    async with visiting(world, ada, shelf.project_id, mode=mode) as client:
        listed = (await client.list_resources()).resources
        assert [one.name for one in listed] == ["docs/the plan.md", "notes.txt"]
        read = await client.read_resource(str(listed[0].uri))
        (template,) = (await client.list_resource_templates()).resource_templates

        (contents,) = read.contents
        assert isinstance(contents, TextResourceContents)
        assert contents.text == PLAN
        assert template.uri_template == f"tertulia://project/{shelf.project_id}/files/{{+path}}"
        with pytest.raises(MCPError, match="no such resource"):
            await client.read_resource(f"tertulia://project/{shelf.project_id}/files/none.md")
        with pytest.raises(MCPError, match="looks like this"):
            await client.read_resource("file:///etc/passwd")


async def test_a_door_of_one_project_needs_no_project_named(world: World, ada: Person, shelf: Shelf) -> None:
    other = await ada.start("Elsewhere")
    await ada.finished(other)
    async with visiting(world, ada, shelf.project_id) as client:
        tools = (await client.list_tools()).tools
        assert [tool.name for tool in tools] == TOOLS[1:]
        assert all("project_id" not in tool.input_schema["properties"] for tool in tools)
        assert all(tool.annotations and tool.annotations.read_only_hint for tool in tools)
        assert "notes.txt" in await told(client, "list_project_files")
        said = await failed(client, "read_conversation", conversation_id=other["conversation"]["id"])
    assert said == "There is no such conversation."


async def test_the_package_agrees_on_the_newest_version(world: World, ada: Person) -> None:
    async with visiting(world, ada) as client:
        assert client.protocol_version == "2026-07-28"
    async with visiting(world, ada, mode="legacy") as client:
        assert client.protocol_version == "2025-11-25"
        assert client.server_info
        assert client.server_info.name == "tertulia"
        assert client.instructions
        await client.session.send_ping()


async def test_resources_come_in_pages_over_all_projects(
    world: World, ada: Person, shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tertulia.doors.mcp.resources.RESOURCE_PAGE_SIZE", 2)
    monkeypatch.setattr("tertulia.doors.mcp.resources.RESOURCE_PAGE_PROJECTS_MAX", 2)
    for name in ("Empty", "Also empty", "Full"):
        more = await Shelf.of(ada, name)
    for number in range(5):
        await more.write(f"{number}.txt", "x")
    async with visiting(world, ada) as client:
        page = await client.list_resources()
        names = [one.name for one in page.resources]
        while page.next_cursor:
            page = await client.list_resources(cursor=page.next_cursor)
            names += [one.name for one in page.resources]
        with pytest.raises(MCPError, match="not one of ours"):
            await client.list_resources(cursor="nonsense")

    assert names == [*(f"{number}.txt" for number in range(5)), "docs/the plan.md", "notes.txt"]


async def test_a_conversation_is_read_in_pages(world: World, ada: Person, shelf: Shelf) -> None:
    turn = await ada.start("Question 1", project_id=shelf.project_id)
    await ada.finished(turn)
    place = {"conversation_id": turn["conversation"]["id"]}
    for number in (2, 3):
        await ada.ask(f"Question {number}", **place)
    async with visiting(world, ada) as client:
        last = await told(client, "read_conversation", limit=2, **place)
        before = last.rpartition('before="')[2].partition('"')[0]
        first = await told(client, "read_conversation", before=before, **place)

    assert [f"Question {number}\n<" in last for number in (1, 2, 3)] == [False, True, True]
    assert [f"Question {number}\n<" in first for number in (1, 2, 3)] == [True, False, False]
    assert "go on with" not in first


async def test_lists_go_on_where_they_ended(world: World, ada: Person, shelf: Shelf) -> None:
    made = [await ada.start(f"Talk {number}", project_id=shelf.project_id) for number in range(3)]
    for turn in made:
        await ada.finished(turn)
    async with visiting(world, ada, shelf.project_id) as client:
        first = await told(client, "list_conversations", limit=2)
        after = first.rpartition('after="')[2].partition('"')[0]
        rest = await told(client, "list_conversations", limit=2, after=after)

    ids = [turn["conversation"]["id"] for turn in made]
    assert sorted((one in first) + (one in rest) for one in ids) == [1, 1, 1]


async def test_what_is_wrong_with_a_call_is_told(world: World, ada: Person, shelf: Shelf) -> None:
    async with visiting(world, ada) as client:
        assert "list_projects" in await failed(client, "search_project", query="x")
        assert "cannot be used" in await failed(client, "read_conversation", conversation_id="x", limit="all")
        assert "no such project" in await failed(client, "list_project_files", project_id="prj_none")
        wrong = await failed(
            client, "read_project_file", project_id=shelf.project_id, path="../../etc/passwd"
        )
        assert "passwd" not in wrong or "no file" in wrong
        with pytest.raises(MCPError, match="no such tool"):
            await client.call_tool("delete_everything", {})


async def test_a_tool_that_an_admin_switched_off_is_off_here_too(
    world: World, ada: Person, shelf: Shelf
) -> None:
    assert (await ada.put("/api/tools/search_project", {"enabled": False})).status_code == 200
    async with visiting(world, ada, shelf.project_id) as client:
        assert "search_project" not in [tool.name for tool in (await client.list_tools()).tools]
        with pytest.raises(MCPError, match="no such tool"):
            await client.call_tool("search_project", {"query": "lighthouse"})


MISTAKES: list[tuple[Any, int, int]] = [
    ([request("ping"), request("ping")], 400, -32600),
    ("ping", 400, -32600),
    ({"jsonrpc": "1.0", "id": 1, "method": "ping"}, 400, -32600),
    ({"jsonrpc": "2.0", "id": None, "method": "ping"}, 400, -32600),
    ({"jsonrpc": "2.0", "id": 1.5, "method": "ping"}, 400, -32600),
    ({"jsonrpc": "2.0", "id": 1}, 400, -32600),
    ({"jsonrpc": "2.0", "id": 1, "method": 7}, 400, -32600),
    ({"jsonrpc": "2.0", "id": 1, "method": "ping", "params": [1]}, 400, -32600),
    (request("prompts/list"), 200, -32601),
    (request("server/discover"), 200, -32601),
    (request("tools/call"), 200, -32602),
    (request("tools/call", name="list_projects", arguments=[]), 200, -32602),
    (request("tools/call", name="list_projects", arguments={"after": "\0"}), 200, -32602),
    (request("tools/list", cursor="x"), 200, -32602),
    (request("resources/read", uri=7), 200, -32602),
    (request("resources/read", uri="tertulia://project/prj_x/files/a"), 200, -32002),
]


async def test_what_is_no_request_is_refused(ada: Person) -> None:
    for message, status, code in MISTAKES:
        answer = await post(ada, message)
        assert (answer.status_code, answer.json()["error"]["code"]) == (status, code), message


async def test_what_is_no_json_is_refused(ada: Person) -> None:
    for body in (b"", b"{", b"\xff", b"[" * 10_000):
        answer = await ada.client.post("/mcp", content=body)
        assert (answer.status_code, answer.json()["error"]["code"]) == (400, -32700), body[:20]


async def test_half_of_a_surrogate_pair_is_read_as_a_character_that_is_none(ada: Person) -> None:
    body = b'{"jsonrpc": "2.0", "id": 1, "method": "\\ud800"}'
    answer = await ada.client.post("/mcp", content=body)
    assert answer.json()["error"]["code"] == -32601


async def test_notifications_and_answers_are_taken_in_silence(ada: Person) -> None:
    for message in (
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 7, "result": {}},
    ):
        answer = await post(ada, message)
        assert (answer.status_code, answer.content) == (202, b"")


async def test_there_is_nothing_to_listen_to(ada: Person) -> None:
    for answer in (await ada.get("/mcp"), await ada.delete("/mcp")):
        assert (answer.status_code, answer.headers["allow"]) == (405, "POST")


async def test_a_version_that_is_not_spoken_is_refused(ada: Person) -> None:
    asked = await post(ada, request("initialize", **GREETING | {"protocolVersion": "1999-01-01"}))
    refused = await post(ada, request("tools/list"), **{"MCP-Protocol-Version": "1999-01-01"})

    assert asked.json()["result"]["protocolVersion"] == "2025-11-25"
    assert refused.status_code == 400
    assert refused.json()["error"]["data"]["supported"] == ["2025-06-18", "2025-11-25", "2026-07-28"]


async def test_headers_that_say_something_else_are_refused(ada: Person) -> None:
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    version = {"MCP-Protocol-Version": "2026-07-28"}
    message = request("tools/call", name="list_projects", arguments={}, _meta=meta)
    agreed = {**version, "Mcp-Method": "tools/call", "Mcp-Name": "list_projects"}
    for headers, code in (
        (agreed, None),
        (agreed | {"Mcp-Name": "=?base64?bGlzdF9wcm9qZWN0cw==?="}, None),
        (agreed | {"Mcp-Name": "=?base64?!?="}, -32020),
        (agreed | {"Mcp-Name": "ping"}, -32020),
        (agreed | {"Mcp-Method": "tools/list"}, -32020),
        (version, -32020),
    ):
        answer = await post(ada, message, **headers)
        assert answer.json().get("error", {}).get("code") == code
        assert answer.status_code == (400 if code else 200)
    bare = await post(ada, request("tools/list"), **version, **{"Mcp-Method": "tools/list"})
    assert (bare.status_code, bare.json()["error"]["code"]) == (400, -32602)
