"""Speaking with servers that say whatever they like."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from tests.tool_servers import until

from tertulia.core.errors import TertuliaError
from tertulia.core.json_object import JsonObject
from tertulia.core.principal import Principal, Role
from tertulia.models.calls import ToolCall
from tertulia.tools.domain import Effect, ToolCaller
from tertulia.tools.external_tools import OfferedTool
from tertulia.tools.mcp.client import MCP_TOOLS_MAX, McpClient
from tertulia.tools.mcp.errors import McpSessionExpired, ToolCallLost, ToolServerDown, ToolServerRefused
from tertulia.tools.mcp.mcp_session import McpSession, OnMessage
from tertulia.tools.mcp.mcp_tool import McpTool
from tertulia.tools.mcp.responses import parse_call_result, parse_tool_list
from tertulia.tools.mcp.server_secrets import values_to_redact
from tertulia.tools.mcp.server_status import ToolServerStatus
from tertulia.tools.registry import ToolRegistry

Answer = Callable[[JsonObject], list[JsonObject] | None]
SECRET = "sk-canary-of-a-server"
CALLER = ToolCaller(Principal("usr_1", "wsp_1", Role.MEMBER), "prj_1", "cnv_1", model_is_local=False)


class Wire:
    """A server in memory: `answers` says what it sends back."""

    def __init__(self, answers: Answer) -> None:
        self.answers = answers
        self.sent: list[JsonObject] = []
        self.is_open = False

    async def open(self, on_message: OnMessage, on_lost: Callable[[str], None]) -> None:
        self.hear, self.lost, self.is_open = on_message, on_lost, True

    async def send(self, message: JsonObject) -> None:
        self.sent.append(message)
        said = self.answers(message)
        if said is None:
            self.is_open = False
            self.lost("it has stopped")
            return
        for one in said:
            self.hear(one)

    async def set_protocol_version(self, version: str) -> None:
        self.version = version

    async def close(self) -> None:
        self.is_open = False


def greeting(message: JsonObject, version: str = "2025-06-18") -> list[JsonObject]:
    return [{"jsonrpc": "2.0", "id": message["id"], "result": {"protocolVersion": version}}]


def polite(more: Answer) -> Answer:
    """Return a server that greets, and then does something."""

    def answers(message: JsonObject) -> list[JsonObject] | None:
        if message.get("method") == "initialize":
            return greeting(message)
        return more(message) if "id" in message and "method" in message else []

    return answers


def linked(answers: Answer, **options: Any) -> tuple[McpClient, list[Wire]]:
    wires: list[Wire] = []

    async def dial() -> tuple[Wire, list[str]]:
        wires.append(Wire(answers))
        return wires[-1], [SECRET]

    return McpClient("test", dial, **options), wires


def result(message: JsonObject, **said: Any) -> list[JsonObject]:
    return [{"jsonrpc": "2.0", "id": message["id"], "result": said}]


async def test_a_server_that_speaks_another_version_is_down() -> None:
    link, _ = linked(lambda message: greeting(message, "1999-01-01"))

    with pytest.raises(ToolServerDown, match="1999-01-01"):
        await link.list_tools()
    assert link.status is ToolServerStatus.DOWN
    assert not link.can_be_retried


@pytest.mark.parametrize("error", [{"code": 1, "message": "no"}, "no", None, 7])
async def test_a_refusal_is_told_in_the_servers_words(error: object) -> None:
    link, _ = linked(polite(lambda message: [{"id": message["id"], "error": error}]))

    with pytest.raises(ToolServerRefused, match="The server says"):
        await link.call_tool("add", {}, seconds=1)


async def test_a_call_in_whose_middle_the_server_stops_is_lost_and_never_asked_again() -> None:
    calls: list[JsonObject] = []

    def dies_once(message: JsonObject) -> list[JsonObject] | None:
        calls.append(message)
        return None if len(calls) == 1 else result(message, content=[{"type": "text", "text": "well"}])

    link, wires = linked(polite(dies_once))
    with pytest.raises(ToolCallLost, match="is not known"):
        await link.call_tool("append", {}, seconds=1)
    assert len(calls) == 1

    assert "well" in (await link.call_tool("append", {}, seconds=1)).text
    assert len(wires) == 2


async def test_a_server_that_has_forgotten_us_is_met_anew_and_asked_once_more() -> None:
    forgotten = [True]

    class Forgetful(Wire):
        async def send(self, message: JsonObject) -> None:
            if message.get("method") == "tools/call" and forgotten:
                forgotten.clear()
                self.is_open = False
                raise McpSessionExpired("The server has forgotten us.")
            await super().send(message)

    async def dial() -> tuple[Wire, list[str]]:
        return Forgetful(polite(lambda message: result(message, content=[]))), []

    assert not (await McpClient("test", dial).call_tool("add", {}, seconds=1)).failed


async def test_a_silent_server_is_given_up_and_told_so() -> None:
    link, (wires) = linked(polite(lambda _: []))

    with pytest.raises(TimeoutError):
        await link.call_tool("slow", {}, seconds=0.05)
    await asyncio.sleep(0)
    assert wires[0].sent[-1]["method"] == "notifications/cancelled"


async def test_what_servers_ask_of_us_is_refused_but_for_a_sign_of_life() -> None:
    asked = [
        {"id": 7, "method": "ping"},
        {"id": 8, "method": "sampling/createMessage", "params": {}},
        {"id": 9, "method": "elicitation/create"},
        {"id": "x", "method": "roots/list"},
    ]
    link, wires = linked(polite(lambda message: [*asked, *result(message, content=[])]))
    await link.call_tool("add", {}, seconds=1)
    await asyncio.sleep(0.01)

    answers = {one["id"]: one for one in wires[0].sent if "method" not in one}
    assert answers[7]["result"] == {}
    assert all("error" in answers[number] for number in (8, 9, "x"))


@pytest.mark.parametrize(
    "noise",
    [
        {"id": 99, "result": {}},
        {"id": [], "result": {}},
        {"method": "notifications/progress", "params": {"progressToken": "x", "progress": "y"}},
        {"method": "notifications/progress", "params": []},
        {"method": ["x"]},
        {"result": {}},
        {},
    ],
)
async def test_noise_between_answers_is_not_heard(noise: JsonObject) -> None:
    link, _ = linked(polite(lambda message: [noise, *result(message, content=[])]))
    assert not (await link.call_tool("add", {}, seconds=1)).failed


async def test_a_secret_that_a_server_repeats_is_painted_over_wherever_it_stands() -> None:
    parts = [{"type": "text", "text": f"your token is {SECRET}"}, {"type": SECRET}]
    link, _ = linked(polite(lambda message: result(message, content=parts, structuredContent={SECRET: 1})))
    assert SECRET not in (await link.call_tool("add", {}, seconds=1)).text

    told = {"error": {"message": f"bad {SECRET}"}}
    link, _ = linked(polite(lambda message: [{"id": message["id"], **told}]))
    with pytest.raises(TertuliaError) as refused:
        await link.call_tool("add", {}, seconds=1)
    assert SECRET not in refused.value.message


async def test_tools_keep_their_names_and_arguments_even_where_a_secret_stands_in_them() -> None:
    schema = {"type": "object", "properties": {SECRET: {"type": "string", "description": f"not {SECRET}"}}}
    tool = {"name": f"use_{SECRET}", "description": f"Uses {SECRET}.", "inputSchema": schema}
    link, _ = linked(polite(lambda message: result(message, tools=[tool])))

    (offered,) = await link.list_tools()
    assert (offered.name, offered.description) == (f"use_{SECRET}", "Uses ••••.")
    assert offered.parameters["properties"] == {SECRET: {"type": "string", "description": "not ••••"}}


@pytest.mark.parametrize(
    ("given", "hidden"),
    [
        ({"LOG_LEVEL": "info", "PORT": "3000", "EMPTY": ""}, []),
        ({"Authorization": "Bearer abc-123-def"}, ["Bearer abc-123-def", "abc-123-def"]),
        ({"Authorization": "Bearer short"}, ["Bearer short"]),
        ({"KEY": "12345678"}, ["12345678"]),
    ],
)
def test_settings_and_the_word_before_a_token_are_no_secrets(given: JsonObject, hidden: list[str]) -> None:
    assert values_to_redact(given) == hidden


@pytest.mark.parametrize("effect", Effect)
async def test_of_what_changes_something_and_takes_too_long_nobody_knows_what_it_has_done(
    effect: Effect,
) -> None:
    link, _ = linked(polite(lambda _: []))
    tool = McpTool(
        "test", OfferedTool("send", "", {"type": "object"}, effect), link, effect, timeout_seconds=0.02
    )
    late = await ToolRegistry([tool]).run(ToolCall("call_1", tool.name, "{}"), CALLER)

    assert (late.failed, late.unknown) == (True, effect is Effect.SIDE)
    assert ("is not known" in late.text) is late.unknown


async def test_a_list_of_many_pages_has_an_end() -> None:
    pages: list[JsonObject] = []

    def endless(message: JsonObject) -> list[JsonObject]:
        pages.append(message["params"])
        tools = [{"name": f"tool_{len(pages)}_{number}", "inputSchema": {}} for number in range(30)]
        return result(message, tools=tools, nextCursor="again")

    link, _ = linked(polite(endless))
    assert len(await link.list_tools()) == MCP_TOOLS_MAX
    assert len(pages) < 20


async def test_an_idle_server_is_let_go_and_met_again() -> None:
    link, wires = linked(polite(lambda message: result(message, content=[])), idle_seconds=0.02)
    await link.call_tool("add", {}, seconds=1)
    await until(lambda: asyncio.sleep(0, not wires[0].is_open))

    await link.call_tool("add", {}, seconds=1)
    assert len(wires) == 2
    await link.close()
    assert not wires[1].is_open


async def test_progress_is_told_but_not_more_often_than_anybody_reads() -> None:
    told: list[tuple[str, float | None]] = []

    def busy(message: JsonObject) -> list[JsonObject]:
        token = message["params"]["_meta"]["progressToken"]
        params = {"progressToken": token, "progress": 1, "total": 4, "message": "so\nfar"}
        return [{"method": "notifications/progress", "params": params}] * 1000 + result(message, content=[])

    link, _ = linked(polite(busy))
    await link.call_tool("add", {}, seconds=1, tell=lambda text, share=None: told.append((text, share)))
    assert set(told) == {("so far\n", 0.25)}
    assert len(told) < 100


def test_a_tool_changes_something_unless_it_promises_only_to_look() -> None:
    hints = [{"readOnlyHint": True}, {"readOnlyHint": "yes"}, {"destructiveHint": False}, None, []]
    tools = [{"name": f"t{number}", "annotations": one} for number, one in enumerate(hints)]

    listed = parse_tool_list({"tools": [*tools, {"name": ""}, {"name": 3}, "x", {"name": "x" * 300}]})
    assert [one.effect for one in listed] == [Effect.READ, *[Effect.SIDE] * 4]


@pytest.mark.parametrize("said", [{}, {"content": "x"}, {"content": [1, None, {"type": 3}]}, {"content": {}}])
def test_any_result_can_be_read(said: JsonObject) -> None:
    assert "<answer" in parse_call_result("test", said).text


def test_what_is_no_picture_is_none_whatever_it_is_called() -> None:
    svg = {"type": "image", "mimeType": "image/svg+xml", "data": "PHN2Zz48L3N2Zz4="}
    bad = {"type": "image", "mimeType": "image/png", "data": "!"}
    assert parse_call_result("test", {"content": [svg, bad]}).pictures == ()


async def test_a_session_that_is_closed_leaves_nobody_waiting() -> None:
    wire = Wire(polite(lambda _: []))
    session = McpSession(wire)
    await session.open()
    waiting = asyncio.create_task(session.request("tools/call", {}, seconds=10))
    await asyncio.sleep(0)
    await session.close()
    with pytest.raises(ToolCallLost):
        await waiting
