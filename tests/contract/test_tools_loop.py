"""Models at work with tools, over each wire format: what is sent back, and how it ends."""

import asyncio
from typing import Any

import pytest
from tests import agent_world
from tests.agent_world import FakeTools, Happening, StepRecorded, only
from tests.contract.asking import MODEL, Adapter, question
from tests.scripted_provider import Fault, Script, ScriptedCall

from tertulia.agents.loop_limits import LoopLimitReached, LoopLimitReason, LoopLimits
from tertulia.agents.model_quirks import ModelQuirks
from tertulia.agents.text_tool_calls import can_use_tools, to_text_call
from tertulia.agents.tools import ToolEnded
from tertulia.core.principal import Principal, Role
from tertulia.models.builtin.models import LIBRARIAN, SMOLLM2
from tertulia.models.calls import Call, Finished, Provider, TextDelta, ThinkingDelta, Tool, ToolCall, Usage
from tertulia.models.domain import Model, Tier
from tertulia.models.errors import StreamCut
from tertulia.projects.domain import ToolOffer
from tertulia.tools.domain import Effect, ToolCaller, ToolOutput
from tertulia.tools.parameters import parameters_of
from tertulia.tools.read_project_file import ReadFileArguments
from tertulia.tools.registry import ToolRegistry

CALLER = ToolCaller(Principal("usr_1", "wsp_1", Role.MEMBER), "prj_1", "cnv_1", model_is_local=False)


class Reading:
    """Reads from two made-up files."""

    name = "read_project_file"
    description = "Reads."
    shape = ReadFileArguments
    parameters = parameters_of(ReadFileArguments)
    effect = Effect.READ

    async def run(self, arguments: ReadFileArguments, caller: ToolCaller) -> ToolOutput:
        return ToolOutput("x" * 10_000_000 if arguments.path == "huge" else f"The text of {arguments.path}.")


BOX = ToolRegistry([Reading()])


def call_for(path: str, call_id: str = "") -> ScriptedCall:
    return ScriptedCall(name="read_project_file", arguments=f'{{"path": "{path}"}}', id=call_id)


async def in_box(call: ToolCall) -> ToolOutput | None:
    return await BOX.run(call, CALLER)


async def working(provider: Provider, tools: FakeTools, **options: Any) -> list[Happening]:
    asked = question("Why?", tools=BOX.tool_definitions(CALLER))
    return await agent_world.work(provider, asked, tools, **options)


async def work(adapter: Adapter, *scripts: Script, fenced: bool = False, **options: Any) -> list[Happening]:
    """Let the scripted model work, and return all that happens."""
    adapter.scripted.script(MODEL, *scripts)
    quirks = ModelQuirks(has_native_tools=not fenced)
    return await working(adapter.provider(), FakeTools(in_box), quirks=quirks, **options)


def text_of(everything: list[Happening]) -> str:
    return "".join(one.text for one in only(TextDelta, everything))


def results(body: dict[str, Any]) -> list[tuple[str, str]]:
    """Return the ids of calls and what they gave, as a request of any format has them."""
    if "contents" in body:
        parts = [part for content in body["contents"] for part in content["parts"]]
        gave = [part["functionResponse"] for part in parts if "functionResponse" in part]
        return [(one["id"], next(iter(one["response"].values()))) for one in gave]
    messages = body["messages"]
    told = [(one["tool_call_id"], one["content"]) for one in messages if one["role"] == "tool"]
    blocks = [part for one in messages if isinstance(one["content"], list) for part in one["content"]]
    return told + [
        (block["tool_use_id"], block["content"]) for block in blocks if block["type"] == "tool_result"
    ]


async def test_a_model_takes_several_steps_and_then_answers(adapter: Adapter) -> None:
    everything = await work(
        adapter,
        Script(reply="First a.", tool_calls=[call_for("a")], thinking="Hm."),
        Script(reply="Then b.", tool_calls=[call_for("b")], always_calls=True),
        Script(reply="Both say so."),
    )

    assert text_of(everything) == "First a.\n\nThen b.\n\nBoth say so."
    assert "".join(one.text for one in only(ThinkingDelta, everything)) == "Hm."
    assert [one.result.text for one in only(ToolEnded, everything)] == ["The text of a.", "The text of b."]
    assert everything[-1] == Finished("done")
    bodies = [one.body for one in adapter.scripted.requests(MODEL)]
    assert [[text for _, text in results(body)] for body in bodies] == [
        [],
        ["The text of a."],
        ["The text of a.", "The text of b."],
    ]
    ids = [call_id for call_id, _ in results(bodies[-1])]
    assert ids == [one.call.id for one in only(ToolEnded, everything)]
    assert len(set(ids)) == 2


async def test_usage_is_what_all_requests_used_together(adapter: Adapter) -> None:
    everything = await work(adapter, Script(reply="One.", tool_calls=[call_for("a")]))

    last = only(Usage, everything)[-1]
    single = [one.usage for one in [await adapter.ask(), await adapter.ask()]]
    assert last.input > max(usage.input for usage in single if usage)
    assert [usage.input for usage in only(Usage, everything)] == sorted(
        usage.input for usage in only(Usage, everything)
    )


async def test_several_calls_of_one_step_are_answered_together_and_in_order(adapter: Adapter) -> None:
    calls = [call_for(path, f"call_{path}") for path in "abc"]
    everything = await work(adapter, Script(reply="Done.", tool_calls=calls))

    (step,) = only(StepRecorded, everything)
    assert [call.id for call in step.calls] == ["call_a", "call_b", "call_c"]
    assert results(adapter.sent()) == [(f"call_{path}", f"The text of {path}.") for path in "abc"]
    assert len(adapter.scripted.requests(MODEL)) == 2


async def test_wrong_calls_are_told_so_and_the_model_goes_on(adapter: Adapter) -> None:
    calls = [
        ScriptedCall(name="read_project_file", arguments='{"path": 3, "lines": 4}'),
        ScriptedCall(name="no_such_tool"),
    ]
    # Gemini parses arguments itself, so that text which is no JSON never comes from it.
    if adapter.kind != "google":
        calls.append(ScriptedCall(name="read_project_file", arguments="{not json"))
    everything = await work(adapter, Script(reply="Never mind.", tool_calls=calls))

    assert text_of(everything).endswith("Never mind.")
    told = [text for _, text in results(adapter.sent())]
    assert "cannot be used" in told[0]
    assert told[1] == "There is no tool called 'no_such_tool'. You can call read_project_file."
    assert all("cannot be used" in text for text in told[2:])
    assert all(one.result.failed for one in only(ToolEnded, everything))


async def test_a_result_of_ten_megabytes_is_cut(adapter: Adapter) -> None:
    await work(adapter, Script(reply="Long.", tool_calls=[call_for("huge")]))

    ((_, text),) = results(adapter.sent())
    assert 15_000 < len(text) < 20_000
    assert "For the rest, call it again for a smaller part: other lines, an offset, a filter.]" in text


async def test_a_model_in_an_endless_loop_is_stopped_and_asked_for_its_answer(adapter: Adapter) -> None:
    endless = Script(reply="Again.", tool_calls=[call_for("a")], always_calls=True)
    everything = await work(adapter, endless)

    (limit,) = only(LoopLimitReached, everything)
    assert limit.reason is LoopLimitReason.CIRCLES
    assert [one.result.failed for one in only(ToolEnded, everything)] == [False, False, True, True]
    assert everything[-1] == Finished("done")
    assert len(adapter.scripted.requests(MODEL)) == 5
    assert "Answer now with what you have" in str(adapter.sent())


async def test_a_model_that_always_finds_something_new_to_ask_is_stopped_too(adapter: Adapter) -> None:
    scripts = [Script(reply="", tool_calls=[call_for(str(n))], always_calls=True) for n in range(6)]
    everything = await work(adapter, *scripts, limits=LoopLimits(max_steps=4))

    assert [limit.reason for limit in only(LoopLimitReached, everything)] == [LoopLimitReason.STEPS]
    assert len(only(ToolEnded, everything)) == 4
    assert len(adapter.scripted.requests(MODEL)) == 5


@pytest.mark.parametrize("step", [0, 1, 2])
async def test_stopping_while_a_step_is_heard_closes_its_connection(adapter: Adapter, step: int) -> None:
    scripts = [Script(reply="", tool_calls=[call_for(str(n))], always_calls=True) for n in range(step)]
    slow = Script(reply="word " * 1000, tokens_per_second=50)
    adapter.scripted.script(MODEL, *scripts, slow)

    heard = asyncio.Event()

    class Listening(list[Happening]):
        def append(self, happening: Happening) -> None:
            super().append(happening)
            if "word" in text_of([happening]):
                heard.set()

    task = asyncio.create_task(working(adapter.provider(), FakeTools(in_box, happened=Listening())))
    await asyncio.wait_for(heard.wait(), 10)
    task.cancel()
    await asyncio.wait([task])

    requests = adapter.scripted.requests(MODEL)
    assert len(requests) == step + 1
    assert adapter.scripted.wait_for(lambda: requests[-1].disconnected)


@pytest.mark.parametrize("step", [0, 1, 2])
async def test_cancelling_while_tools_of_a_step_run_stops_them_at_once(adapter: Adapter, step: int) -> None:
    running: set[str] = set()
    reached = asyncio.Event()

    async def run(call: ToolCall) -> ToolOutput:
        if str(step) not in call.arguments:
            return ToolOutput("quick")
        running.add(call.id)
        reached.set()
        try:
            await asyncio.sleep(60)
        finally:
            running.discard(call.id)
        return ToolOutput("slow")

    scripts = [
        Script(
            reply="",
            tool_calls=[call_for(str(n), f"one_{n}"), call_for(str(n), f"two_{n}")],
            always_calls=True,
        )
        for n in range(3)
    ]
    adapter.scripted.script(MODEL, *scripts)

    task = asyncio.create_task(working(adapter.provider(), FakeTools(run)))
    await asyncio.wait_for(reached.wait(), 10)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(task, 1)
    assert running == set()
    assert len(adapter.scripted.requests(MODEL)) == step + 1


async def test_a_stream_that_breaks_in_a_later_step_is_not_asked_for_again(adapter: Adapter) -> None:
    broken = Script(reply="one two three", fault=Fault(kind="drop", after=2))
    adapter.scripted.script(MODEL, Script(reply="Look.", tool_calls=[call_for("a")]), broken)
    tools = FakeTools(in_box)

    with pytest.raises(StreamCut):
        await working(adapter.provider(), tools)
    assert text_of(tools.happened) == "Look.\n\none two"
    assert len(adapter.scripted.requests(MODEL)) == 2


BLOCK = '```tool\n{"name": "read_project_file", "arguments": {"path": "a"}}\n```'


ANOTHER = BLOCK.replace('"a"', '"b"')


async def test_a_model_without_tools_calls_them_in_blocks_that_nobody_sees(adapter: Adapter) -> None:
    everything = await work(
        adapter,
        Script(reply=f"Let me look.\n\n{BLOCK}\n{ANOTHER}"),
        Script(reply="So it is."),
        fenced=True,
    )

    assert "```" not in text_of(everything)
    assert text_of(everything).endswith("\n\nSo it is.")
    first, second = [one.body for one in adapter.scripted.requests(MODEL)]
    assert "tools" not in first
    assert '"name":"read_project_file"' in str(first).replace('\\"', '"')
    assert "The text of a." in str(second)
    assert "The text of b." in str(second)
    assert results(second) == []
    assert everything[-1] == Finished("done")


async def test_what_a_model_makes_up_after_its_blocks_is_not_heard(adapter: Adapter) -> None:
    everything = await work(
        adapter,
        Script(reply=[f"Look.\n{BLOCK}\n", "Result: all ", *["is well. "] * 2000], tokens_per_second=200),
        Script(reply="So it is."),
        fenced=True,
    )

    assert text_of(everything) == "Look.\n\n\nSo it is."
    first = adapter.scripted.requests(MODEL)[0]
    assert adapter.scripted.wait_for(lambda: first.disconnected)
    assert only(Usage, everything)[-1].input > 0


async def test_a_block_that_cannot_be_read_is_told_so(adapter: Adapter) -> None:
    everything = await work(
        adapter, Script(reply="```tool\n{name: read}\n```"), Script(reply="Well."), fenced=True
    )

    (ended,) = only(ToolEnded, everything)
    assert ended.result == ToolOutput("The call names no tool. You can call read_project_file.", failed=True)
    assert text_of(everything) == "Well."


async def test_a_block_that_was_cut_at_the_longest_a_reply_may_be_is_not_run(adapter: Adapter) -> None:
    everything = await work(adapter, Script(reply=f"Look.\n{BLOCK[:-3]}", finish="length"), fenced=True)

    assert only(StepRecorded, everything) == []
    assert everything[-1] == Finished("length")


async def test_without_tools_blocks_are_text(adapter: Adapter) -> None:
    adapter.scripted.script(MODEL, Script(reply=BLOCK))
    quirks = ModelQuirks(has_native_tools=False)
    everything = await agent_world.work(adapter.provider(), question(), FakeTools(), quirks=quirks)

    assert text_of(everything) == BLOCK


def test_the_built_in_models_are_given_no_tools() -> None:
    listed = Model("m", "ollama", "m", "M", 8192, 1024, Tier.FAST, frozenset())
    three = (listed, SMOLLM2, LIBRARIAN)
    assert [can_use_tools(one, ToolOffer.ALL) for one in three] == [True, False, False]
    assert [can_use_tools(one, ToolOffer.SUITED) for one in three] == [False, False, False]


def test_a_call_says_in_words_which_tools_there_are() -> None:
    call = Call("m", "Be brief.", (), 100, tools=(Tool("look", "Looks.", {"type": "object"}),))
    told = to_text_call(call)

    assert told.system.startswith("Be brief.\n\nTOOLS\n")
    assert told.system.endswith('{"name":"look","description":"Looks.","arguments":{"type":"object"}}')
    assert told.tools == ()
