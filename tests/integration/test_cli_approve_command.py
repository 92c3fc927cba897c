"""The command line and a real server, when a tool waits for a yes."""

import asyncio
import re
import shlex
import sys
from pathlib import Path

from tests.scripted_provider import Script, ScriptedCall, ScriptedProvider
from tests.tools_world import give_letters
from tests.world import Person, World

MODEL = "scripted-fast"


async def tertulia(person: Person, world: World, home: Path, *words: str) -> tuple[int | None, str, str]:
    """Run a command with nothing but a pipe to read from, and return how it ended and what it said."""
    run = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", "from tertulia.cli import main; main()", *words),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env={"TERTULIA_URL": world.url, "TERTULIA_TOKEN": person.token, "HOME": str(home)},
    )
    said, noted = await run.communicate()
    return run.returncode, said.decode(), noted.decode()


async def test_what_waits_is_said_and_runs_once_it_is_approved(
    world: World, ada: Person, provider: ScriptedProvider, tmp_path: Path
) -> None:
    letters = give_letters(world)
    letter = ScriptedCall(name="send_letter", arguments='{"text": "Dear Ada"}')
    provider.script(MODEL, Script(reply="Let me see.", tool_calls=[letter]), Script(reply=" It is sent."))

    code, said, noted = await tertulia(ada, world, tmp_path, "ask", "-m", f"openai/{MODEL}", "Write to Ada")
    assert (code, said) == (3, "Let me see.\n")
    assert '{"text": "Dear Ada"}' in noted
    assert letters.sent == []

    (line,) = re.findall(r"or: tertulia (approve .*) \(--no", noted)
    code, _, noted = await tertulia(ada, world, tmp_path, *shlex.split(line))
    assert code == 0, noted
    for _ in range(100):
        if letters.sent:
            break
        await asyncio.sleep(0.05)
    assert letters.sent == ["Dear Ada"]
    again = await tertulia(ada, world, tmp_path, *shlex.split(line))
    assert again[0] == 1
    assert "wait" in again[2]
