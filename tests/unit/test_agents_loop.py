"""A model at work with tools: the limits, the order and the sums, with a provider that is made up here."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.agent_world import FakeTools, Happening, StepRecorded, look, only, work

from tertulia.agents.agent_step import add_usage
from tertulia.agents.loop_limits import LoopLimitReached, LoopLimitReason, LoopLimits
from tertulia.agents.model_quirks import ModelQuirks
from tertulia.agents.retry import RetryScheduled
from tertulia.agents.tool_executor import REPEATED_CALL, TOOL_TIME_USED_UP, call_signature
from tertulia.agents.tools import ToolEnded
from tertulia.models.calls import (
    Call,
    Effort,
    Finished,
    PromptMessage,
    StreamEvent,
    TextDelta,
    ThinkingDelta,
    Tool,
    ToolCall,
    Usage,
)
from tertulia.models.errors import EffortRefused, PromptTooLong, ProviderBusy, StreamCut, ToolsUnknown
from tertulia.tools.domain import ToolOutput
from tertulia.tools.output_truncation import truncate_output

CALL = Call("model", "Be brief.", (PromptMessage("user", "Why?"),), 1000, tools=(Tool("look", "Looks.", {}),))
TOOLS = Finished("tools")
DONE = Finished("done")
A_STEP = [ToolCall("1", "look", "{}"), TOOLS]
AN_ANSWER = [TextDelta("So."), DONE]


@dataclass
class Spoken:
    """A provider that says what is written here, step by step; its last step stays."""

    steps: Sequence[Sequence[StreamEvent | Exception]]
    heard: list[Call] = field(default_factory=list)

    async def stream(self, call: Call) -> AsyncGenerator[StreamEvent, None]:
        self.heard.append(call)
        for one in self.steps[min(len(self.heard), len(self.steps)) - 1]:
            if isinstance(one, Exception):
                raise one
            yield one


async def told(provider: Spoken, *, run_tool: Any = look, **options: Any) -> list[Happening]:
    """Let a model speak and work, and return all that happens."""
    return await work(provider, CALL, FakeTools(run_tool), retries=2, **options)


async def test_a_model_that_needs_no_tools_is_heard_as_it_speaks() -> None:
    words = [ThinkingDelta("Hm."), TextDelta("So "), Usage(5, 2), TextDelta("it is."), Usage(5, 4), DONE]
    assert await told(Spoken([words])) == words


async def test_a_step_is_told_in_order_and_the_next_one_reads_what_it_gave() -> None:
    block = {"signature": "x"}
    one, two = ToolCall("1", "look", '{"at": 1}'), ToolCall("2", "look", '{"at": 2}')
    provider = Spoken([[ThinkingDelta("Hm.", block), TextDelta("Let me look."), one, two, TOOLS], AN_ANSWER])

    everything = await told(provider)

    assert everything == [
        ThinkingDelta("Hm.", block),
        TextDelta("Let me look."),
        StepRecorded(0, "Let me look.", (one, two)),
        *only(ToolEnded, everything),
        TextDelta("\n\n"),
        TextDelta("So."),
        DONE,
    ]
    first, second = provider.heard
    assert second.messages[: len(first.messages)] == first.messages
    asked, gave = second.messages[-2:]
    assert (asked.role, asked.text, asked.tool_calls, asked.thought) == (
        "assistant",
        "Let me look.",
        (one, two),
        (block,),
    )
    assert [(result.call_id, result.text) for result in gave.tool_results] == [
        ("1", 'saw {"at": 1}'),
        ("2", 'saw {"at": 2}'),
    ]


async def test_calls_run_at_once_and_end_in_their_own_time_but_are_read_in_their_order() -> None:
    together = asyncio.Barrier(3)
    may_end = {name: asyncio.Event() for name in ("3", "2", "1")}

    async def run(call: ToolCall) -> ToolOutput:
        await together.wait()
        await may_end[call.id].wait()
        return ToolOutput(call.id)

    calls = [ToolCall(str(number), "look", str(number)) for number in (1, 2, 3)]
    provider = Spoken([[*calls, TOOLS], AN_ANSWER])

    waiting = iter(may_end.values())
    next(waiting).set()

    class OneAfterTheOther(FakeTools):
        async def record_result(self, ended: ToolEnded) -> None:
            await super().record_result(ended)
            next(waiting, asyncio.Event()).set()

    ended = only(ToolEnded, await work(provider, CALL, OneAfterTheOther(run)))

    assert [end.call.id for end in ended] == ["3", "2", "1"]
    assert sorted(end.ms for end in ended) == [end.ms for end in ended]
    assert [result.text for result in provider.heard[1].messages[-1].tool_results] == ["1", "2", "3"]


async def test_usage_is_that_of_all_steps_so_far() -> None:
    step = [Usage(10, 1), *A_STEP[:1], Usage(10, 3, cached=4, cost=0.5), TOOLS]
    provider = Spoken([step, [Usage(20, 2, thinking=1, cost=0.25), DONE]])

    assert only(Usage, await told(provider)) == [
        Usage(10, 1),
        Usage(10, 3, cached=4, cost=0.5),
        Usage(30, 5, cached=4, thinking=1, cost=0.75),
    ]


USAGES = st.builds(
    Usage, *[st.integers(0, 1000)] * 5, cost=st.none() | st.integers(0, 9).map(float), estimated=st.booleans()
)


@given(USAGES, USAGES, USAGES)
def test_usage_adds_up_in_any_grouping_and_nothing_added_changes_nothing(
    a: Usage, b: Usage, c: Usage
) -> None:
    assert add_usage(add_usage(a, b), c) == add_usage(a, add_usage(b, c))
    assert add_usage(a, Usage(0, 0)) == a


async def test_after_so_many_steps_a_model_has_to_answer_with_what_it_has() -> None:
    steps = [[ToolCall("1", "look", str(number)), TOOLS] for number in range(3)]
    provider = Spoken([*steps, AN_ANSWER])

    everything = await told(provider, limits=LoopLimits(max_steps=3))

    (limit,) = only(LoopLimitReached, everything)
    assert (limit.reason, "3 times" in limit.message) == (LoopLimitReason.STEPS, True)
    assert len(only(ToolEnded, everything)) == 3
    assert everything[-1] == DONE
    last = provider.heard[-1]
    assert "Answer now with what you have" in last.messages[-1].text
    assert last.messages[-2].tool_results[0].text == "saw 2"


async def test_a_model_that_asks_for_tools_to_the_very_last_is_not_heard_further() -> None:
    provider = Spoken([[ToolCall("1", "look", str(number)), TOOLS] for number in range(5)])

    everything = await told(provider, limits=LoopLimits(max_steps=2))

    assert len(only(ToolEnded, everything)) == 2
    assert len(provider.heard) == 3
    assert everything[-1] == DONE


async def test_the_same_call_is_not_run_a_third_time_and_who_goes_in_circles_is_stopped() -> None:
    ran: list[str] = []

    async def run(call: ToolCall) -> ToolOutput:
        ran.append(call.arguments)
        return ToolOutput("this")

    written = ['{"a": 1, "b": 2}', '{"b":2,"a":1}', '{ "a": 1, "b": 2 }']
    steps = [[ToolCall("1", "look", arguments), TOOLS] for arguments in [*written, *written]]
    everything = await told(Spoken(steps), run_tool=run)

    assert ran == written[:2]
    results = [one.result for one in only(ToolEnded, everything)]
    assert results == [ToolOutput("this")] * 2 + [ToolOutput(REPEATED_CALL, failed=True)] * 2
    assert [limit.reason for limit in only(LoopLimitReached, everything)] == [LoopLimitReason.CIRCLES]


def test_calls_are_the_same_when_they_ask_for_the_same() -> None:
    def key(arguments: str) -> tuple[str, str]:
        return call_signature(ToolCall("1", "look", arguments))

    assert key('{"a": 1, "b": [1]}') == key('{"b":[1],"a":1}')
    assert key('{"a": 1}') != key('{"a": 2}')
    assert key("{oops") == key("{oops") != key("{oops}")
    assert key("[" * 100_000) == ("look", "[" * 100_000)


async def test_when_time_is_up_what_still_runs_is_stopped() -> None:
    stopped: list[str] = []

    async def run(call: ToolCall) -> ToolOutput:
        try:
            await asyncio.sleep(0 if call.id == "quick" else 60)
        except asyncio.CancelledError:
            stopped.append(call.id)
            raise
        return ToolOutput("here")

    calls = [ToolCall("slow", "look", "1"), ToolCall("quick", "look", "2")]
    provider = Spoken([[*calls, TOOLS], AN_ANSWER])

    everything = await told(provider, run_tool=run, limits=LoopLimits(max_seconds=0.05))

    assert stopped == ["slow"]
    assert {one.call.id: one.result for one in only(ToolEnded, everything)} == {
        "quick": ToolOutput("here"),
        "slow": ToolOutput(TOOL_TIME_USED_UP, failed=True, unknown=True),
    }
    assert [limit.reason for limit in only(LoopLimitReached, everything)] == [LoopLimitReason.TIME]
    assert everything[-2:] == [TextDelta("So."), DONE]


async def test_too_many_calls_at_once_are_put_off() -> None:
    calls = [ToolCall(str(number), "look", str(number)) for number in range(20)]
    ended = only(ToolEnded, await told(Spoken([[*calls, TOOLS], AN_ANSWER])))

    assert len(ended) == 20
    assert sum(one.result.failed for one in ended) == 4


async def test_ten_megabytes_are_cut_at_a_line_and_say_so() -> None:
    lines = "".join(f"line {number}\n" for number in range(1_000_000))

    async def run(call: ToolCall) -> ToolOutput:
        return ToolOutput(lines, local_only=True)

    provider = Spoken([A_STEP, AN_ANSWER])
    (ended,) = only(ToolEnded, await told(provider, run_tool=run))

    head, _, rest = ended.result.text.partition("\n[Cut: ")
    note, _, tail = rest.partition("]\n")
    assert lines.startswith(head + "\n")
    assert lines.endswith("\n" + tail)
    assert 18_000 < len(head + tail) <= 20_000
    assert "of 11,888,890 characters" in note
    assert ended.result.whole == lines
    assert ended.result.local_only
    assert provider.heard[1].messages[-1].tool_results[0].text == ended.result.text


@given(st.text(alphabet="ab\n"), st.integers(4, 30))
def test_a_result_is_cut_only_when_it_is_too_long(text: str, most: int) -> None:
    result = truncate_output(ToolOutput(text), "Ask for less.", max_chars=most)
    assert (result.text == text) == (len(text) <= most)
    assert result.whole == ("" if result.text == text else text)
    assert result.text[: min(len(text), 1)] == text[:1]


async def test_each_call_has_an_id_of_its_own_even_where_a_server_counts_from_nought_each_time() -> None:
    steps = [
        [ToolCall("0", "look", "1"), ToolCall("0", "look", "2"), TOOLS],
        [ToolCall("0", "look", "3"), TOOLS],
    ]
    provider = Spoken([*steps, AN_ANSWER])

    recorded = only(StepRecorded, await told(provider))
    ids = [call.id for step in recorded for call in step.calls]

    assert len(set(ids)) == 3
    sent = [call.id for said in provider.heard[-1].messages for call in said.tool_calls]
    read = [result.call_id for said in provider.heard[-1].messages for result in said.tool_results]
    assert sent == read == ids


async def test_every_later_call_is_made_to_fit() -> None:
    fitted: list[Call] = []

    async def fits(call: Call) -> Call:
        fitted.append(call)
        return Call("model", "Shorter.", call.messages, 1000)

    provider = Spoken([A_STEP, AN_ANSWER])
    await told(provider, admit=fits)

    assert [call.system for call in provider.heard] == ["Be brief.", "Shorter."]
    assert [call.messages for call in fitted] == [provider.heard[1].messages]


async def test_a_busy_provider_is_asked_again_before_the_first_word_of_any_step(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("tertulia.agents.retry.backoff_seconds", lambda attempt, error: 0.0)
    busy = ProviderBusy("here", "Slow down.")
    everything = await told(Spoken([A_STEP, [busy], AN_ANSWER]))

    assert len(only(RetryScheduled, everything)) == 1
    assert len(only(ToolEnded, everything)) == 1
    assert everything[-1] == DONE
    with pytest.raises(ProviderBusy):
        await told(Spoken([A_STEP, [TextDelta("So"), busy], AN_ANSWER]))


async def test_what_a_failed_attempt_reported_is_told_with_its_retry_and_not_added_to_the_next(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("tertulia.agents.retry.backoff_seconds", lambda attempt, error: 0.0)
    cut = StreamCut("here", "It broke off.")
    everything = await told(Spoken([[Usage(7, 1), cut], [cut], [Usage(9, 2), *AN_ANSWER]]))

    assert [retry.reported for retry in only(RetryScheduled, everything)] == [Usage(7, 1), None]
    assert only(Usage, everything)[-1] == Usage(9, 2)


async def test_a_later_step_that_is_found_too_long_is_asked_for_once_more_with_less() -> None:
    async def run(call: ToolCall) -> ToolOutput:
        return ToolOutput("x" * 15_000)

    too_long = PromptTooLong("here", "Too long.")
    provider = Spoken([A_STEP, [ToolCall("2", "look", "2"), TOOLS], [too_long], AN_ANSWER])
    everything = await told(provider, run_tool=run)

    assert everything[-1] == DONE
    lengths = [len(said.tool_results[0].text) for said in provider.heard[-1].messages if said.tool_results]
    assert lengths[0] < 1_000 < lengths[1] < 5_000
    with pytest.raises(PromptTooLong):
        await told(Spoken([[too_long], AN_ANSWER]))


@pytest.mark.parametrize("reason", ["length", "refused"])
async def test_the_end_says_why_a_model_stopped(reason: Any) -> None:
    assert (await told(Spoken([A_STEP, [TextDelta("So"), Finished(reason)]])))[-1] == Finished(reason)


async def test_cancelling_at_any_moment_stops_everything() -> None:
    running: set[str] = set()

    async def run(call: ToolCall) -> ToolOutput:
        running.add(call.id)
        try:
            for _ in range(2 if call.id.startswith("quick") else 6):
                await asyncio.sleep(0)
        finally:
            running.discard(call.id)
        return ToolOutput("")

    async def cancel_after(turns: int) -> bool:
        calls = [ToolCall("quick", "look", "1"), ToolCall("slow", "look", "2")]
        provider = Spoken([[TextDelta("a"), *calls, TOOLS], [*calls, TOOLS], AN_ANSWER])
        task = asyncio.create_task(told(provider, run_tool=run))
        for _ in range(turns):
            await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait([task])
        assert running == set()
        return task.cancelled()

    turns = 0
    while await cancel_after(turns):
        turns += 1
    assert turns > 12


async def test_nobody_is_asked_again_without_what_was_refused_once_a_word_was_heard() -> None:
    refused = EffortRefused("here", "No effort.")
    thoughtful = replace(CALL, thinking=Effort.HIGH)
    with pytest.raises(EffortRefused):
        await work(Spoken([[TextDelta("So"), refused], AN_ANSWER]), thoughtful, FakeTools())

    quirks = ModelQuirks()
    provider = Spoken([[refused], AN_ANSWER])
    await work(provider, thoughtful, FakeTools(), quirks=quirks)
    assert [call.thinking for call in provider.heard] == [Effort.HIGH, None]
    assert quirks == ModelQuirks(refused_options={"thinking"})


async def test_a_model_that_refuses_tools_is_told_of_them_in_words_from_then_on() -> None:
    quirks = ModelQuirks()
    block = '```tool\n{"name": "look", "arguments": {}}\n```'
    provider = Spoken([[ToolsUnknown("here", "No tools.")], [TextDelta(block), DONE], AN_ANSWER])

    everything = await work(provider, CALL, FakeTools(), quirks=quirks)

    assert [bool(call.tools) for call in provider.heard] == [True, False, False]
    assert [ended.result.text for ended in only(ToolEnded, everything)] == ["saw {}"]
    assert not quirks.has_native_tools


async def test_two_replies_that_are_refused_tools_at_the_same_time_both_go_on() -> None:
    quirks = ModelQuirks()
    both_asked = asyncio.Barrier(2)

    class Together(Spoken):
        async def stream(self, call: Call) -> AsyncGenerator[StreamEvent, None]:
            if call.tools:
                await both_asked.wait()
            async for event in super().stream(call):
                yield event

    providers = [Together([[ToolsUnknown("here", "No tools.")], AN_ANSWER]) for _ in range(2)]
    ends = await asyncio.gather(*(work(provider, CALL, FakeTools(), quirks=quirks) for provider in providers))

    assert [everything[-1] for everything in ends] == [DONE, DONE]
