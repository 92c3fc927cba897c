"""When models are told of running Python, and how it stands where they are not."""

import asyncio
import json
from dataclasses import replace
from pathlib import Path
from time import monotonic

import pytest
from tests.databases import open_database
from tests.files_world import Shelf
from tests.sandbox_world import Uncompiled, Unwilling, run
from tests.scripted_provider import ScriptedProvider
from tests.world import Person, World

from tertulia.context.domain import ConversationFacts, ListedFile, PastRound, ProjectFacts, PromptInputs
from tertulia.context.domain import FileList as Listing
from tertulia.context.prompt_assembly import assemble_prompt
from tertulia.conversations.domain import Policy, ReplyKind
from tertulia.models.calls import Tool
from tertulia.models.domain import Model, Tier
from tertulia.sandbox.domain import Readiness, State
from tertulia.sandbox.errors import SandboxUnavailable
from tertulia.sandbox.service import Sandbox
from tertulia.tools.python.code_runner import CodeRunner
from tertulia.tools.python.run_python import RunPython

RUN = (Tool(RunPython.name, RunPython.about, RunPython.parameters),)
MODEL = Model(
    id="m", connection="c", name="m", title="M", context_window=100_000, output_limit=4_000, tier=Tier.SMART
)
INPUTS = PromptInputs(
    lane="m",
    model="m",
    kind=ReplyKind.ANSWER,
    policy=Policy.EVERYONE,
    table=("m",),
    past=(),
    now=PastRound("Hello"),
    facts=ConversationFacts(project=ProjectFacts("Papers", "prj_1", "active")),
)


class Standing(CodeRunner):
    """A sandbox in the state that it is given."""

    def __init__(self, state: State) -> None:
        self._state = state

    def status(self) -> Readiness:
        return Readiness(self._state)


def prompt(*tools: ListedFile) -> str:
    inputs = replace(INPUTS, file_list=Listing(len(tools), (), tools))
    return assemble_prompt(inputs, MODEL, tools=RUN).call.system


def test_the_tool_is_ready_only_while_the_sandbox_is(tmp_path: Path) -> None:
    db = open_database(tmp_path / "t.db")
    ready = [RunPython(db, None, Standing(state)).ready for state in State]  # pyright: ignore[reportArgumentType] - no file is touched
    db.close()

    assert [state for state, is_ready in zip(State, ready, strict=True) if not is_ready] == [State.OFF]


def test_a_model_that_may_run_code_is_told_how_and_which_tools_there_are() -> None:
    told = prompt(
        ListedFile("word_count", 10, "Count the\nwords </files> of a text."), ListedFile("pkg.bare", 10)
    )

    assert "/project/files/" in told
    assert "- word_count: Count the words <\\/files> of a text.\n- pkg.bare" in told


def test_one_that_may_not_is_told_nothing_of_it() -> None:
    inputs = replace(INPUTS, file_list=Listing(1, (), (ListedFile("word_count", 10, "Count."),)))
    told = assemble_prompt(inputs, MODEL).call.system

    assert "word_count" not in told
    assert "run_python" not in told


def test_tools_for_local_models_are_listed_to_nobody_and_many_are_cut_short() -> None:
    told = prompt(
        ListedFile("secret", 1, "Mauve.", local_only=True), *(ListedFile(f"t{n}", 1) for n in range(50))
    )

    assert "Mauve" not in told
    assert "- t39\n- and 10 more: list /project/tools" in told
    assert "There are none yet." in prompt()


async def test_where_the_sandbox_is_off_models_are_not_offered_to_run_code(
    world: World, ada: Person, provider: ScriptedProvider
) -> None:
    shelf = await Shelf.of(ada)
    await shelf.write("tools/word_count.py", "x = 1\n")
    await ada.ask("Hello", project_id=shelf.project_id)

    body = json.dumps(provider.requests("scripted-fast")[0].body)
    assert "read_project_file" in body
    assert "run_python" not in body
    standing = (await ada.get("/api/sandbox")).json()
    assert (standing["state"], "TERTULIA_SANDBOX" in standing["reason"]) == ("off", True)
    refused = await ada.post(f"/api/projects/{shelf.project_id}/tools/word_count.py/test", {})
    assert (refused.status_code, refused.json()["error"]["code"]) == (503, "sandbox_unavailable")


async def test_an_admin_has_a_sandbox_that_failed_try_again(world: World, ada: Person) -> None:
    switched_off = (await ada.post("/api/sandbox/prepare")).json()
    assert (switched_off["state"], switched_off["can_try_again"]) == ("off", False)
    assert "TERTULIA_SANDBOX" in switched_off["reason"]

    backend = Unwilling(world.settings, failures=2)
    sandbox = world.server.parts.code_runner._sandbox = Sandbox(
        world.settings, backend=backend, retry_seconds=()
    )
    for attempts in (1, 2):
        with pytest.raises(SandboxUnavailable):
            await run(sandbox, "1")
        standing = (await ada.get("/api/sandbox")).json()
        assert standing == {
            "state": "off",
            "reason": "There is no memory for it.",
            "percent": 0,
            "can_try_again": True,
        }
        assert backend.attempts == attempts
        begun = await ada.post("/api/sandbox/prepare")
        assert (begun.status_code, begun.json()["state"]) == (202, "preparing")
    assert (await run(sandbox, "1")).outcome.value == "1"
    assert (await ada.post("/api/sandbox/prepare")).json()["state"] == "ready"


async def test_an_admin_declines_in_one_click_and_can_come_back(world: World, ada: Person) -> None:
    backend = Uncompiled(world.settings)
    sandbox = world.server.parts.code_runner._sandbox = Sandbox(
        world.settings, backend=backend, retry_seconds=()
    )
    sandbox.start()
    standing = (await ada.get("/api/sandbox")).json()
    assert (standing["state"], standing["can_try_again"], backend.attempts) == ("unprepared", True, 0)
    assert "2.5 GB" in standing["reason"]
    assert (await offered(ada))["problem"] == standing["reason"]

    running = asyncio.create_task(run(sandbox, "1"))
    await backend.compiling.wait()
    assert (await offered(ada))["problem"] == "The sandbox is being prepared: 42%."
    declined = (await ada.post("/api/sandbox/decline")).json()
    assert (declined["state"], declined["can_try_again"]) == ("off", True)
    with pytest.raises(SandboxUnavailable, match="declined"):
        await running

    again = Sandbox(world.settings, backend=backend)
    again.start()
    assert again.readiness().state is State.OFF
    assert (await ada.post("/api/sandbox/prepare")).json()["state"] == "preparing"
    await sandbox.close()


async def offered(person: Person) -> dict[str, str]:
    tools = (await person.get("/api/tools")).json()["tools"]
    return next(tool for tool in tools if tool["name"] == "run_python")


async def test_tools_are_shown_with_what_people_say_of_them(world: World, ada: Person) -> None:
    shelf = await Shelf.of(ada)
    await shelf.write("tools/broken.py", "def broken(:", summary="Ours.")
    await shelf.write("tools/notes.txt", "Something.")
    await shelf.write("tools.py", "x = 1")
    tools = (await ada.get(f"/api/projects/{shelf.project_id}/tools")).json()["tools"]

    assert [(one["name"], one["module"], one["description"]) for one in tools] == [
        ("broken.py", "broken", "Ours."),
        ("notes.txt", "", "Something."),
    ]
    assert tools[0]["problem"].startswith("It cannot be read as Python")
    assert (tools[0]["model"], tools[0]["times_used"], tools[0]["last_used_at"]) == (None, 0, None)


async def test_a_tool_that_takes_minutes_to_read_holds_nobody_up(world: World, ada: Person) -> None:
    shelf = await Shelf.of(ada)
    await shelf.write("tools/endless.py", 'X = f"""' + "{1}" * 99_000 + '"""')
    opened = asyncio.create_task(ada.get(f"/api/projects/{shelf.project_id}/tools"))
    longest = 0.0
    while not opened.done():
        began = monotonic()
        assert (await ada.get("/health")).status_code == 200
        longest = max(longest, monotonic() - began)

    (tool,) = opened.result().json()["tools"]
    assert "takes too long" in tool["problem"]
    assert longest < 2, "which others waited"
