"""Programs that offer tools: how they are started, misheard and ended."""

import asyncio
import os
import sys
from pathlib import Path

import pytest
from tests.tool_servers import until

from tertulia.tools.mcp.client import McpClient
from tertulia.tools.mcp.errors import ToolCallLost, ToolServerDown
from tertulia.tools.mcp.stdio_transport import StdioTransport

#: A server in the fewest lines: it prints noise, starts a program of its own, and does as it is told.
PROGRAM = """
import json, os, subprocess, sys, time
child = subprocess.Popen(["sleep", "60"])
print("Welcome to my server!", flush=True)
print('"half a message', flush=True)
def say(message): print(json.dumps(message), flush=True)
for line in sys.stdin:
    asked = json.loads(line)
    if asked["method"] == "initialize":
        say({"id": asked["id"], "result": {"protocolVersion": "2024-11-05"}})
    elif asked["method"] == "tools/call":
        name = asked["params"]["name"]
        if name == "flood":
            sys.stdout.write("x" * 9_000_000 + "\\n"); sys.stdout.flush()
        if name == "die":
            os._exit(3)
        if name == "hang":
            time.sleep(60)
        text = f"{os.getpid()} {child.pid} {os.getcwd()}"
        say({"id": asked["id"], "result": {"content": [{"type": "text", "text": text}]}})
"""


def linked(tmp_path: Path) -> McpClient:
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)

    async def dial() -> tuple[StdioTransport, list[str]]:
        return StdioTransport(sys.executable, [str(path)], {}), []

    return McpClient("prog", dial)


async def numbers(link: McpClient) -> list[int]:
    """Return the numbers of the program and of the one that it started."""
    text = (await link.call_tool("who", {}, seconds=10)).text
    return [int(word) for word in text.split("\n")[2].split()[:2]]


def runs(pid: int) -> bool:
    """Tell whether a process runs; one that only waits to be noticed does not."""
    try:
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False


async def gone(*pids: int) -> None:
    await until(lambda: asyncio.sleep(0, not any(map(runs, pids))))


async def test_noise_is_not_heard_and_a_program_ends_with_all_that_it_started(tmp_path: Path) -> None:
    link = linked(tmp_path)
    pids = await numbers(link)
    assert all(map(runs, pids))
    assert os.getpgid(pids[0]) == pids[0]

    await link.close()
    await gone(*pids)


async def test_a_program_that_does_not_listen_is_ended_all_the_same(tmp_path: Path) -> None:
    link = linked(tmp_path)
    pids = await numbers(link)
    with pytest.raises(TimeoutError):
        await link.call_tool("hang", {}, seconds=0.1)

    await link.close()
    await gone(*pids)


@pytest.mark.parametrize("way", ["die", "flood"])
async def test_a_program_that_dies_or_says_too_much_is_ended_and_started_anew(
    tmp_path: Path, way: str
) -> None:
    link = linked(tmp_path)
    before = await numbers(link)
    with pytest.raises(ToolCallLost):
        await link.call_tool(way, {}, seconds=10)
    await gone(*before)

    after = await numbers(link)
    assert not set(before) & set(after)
    await link.close()


@pytest.mark.parametrize("command", ["no-such-program-anywhere", "/etc/passwd", "/", "true", "a\0b"])
async def test_what_cannot_be_started_is_said(command: str) -> None:
    async def dial() -> tuple[StdioTransport, list[str]]:
        return StdioTransport(command, [], {}), []

    with pytest.raises(ToolServerDown):
        await McpClient("prog", dial).list_tools()
