"""Reading what servers of one format do differently."""

import json
from typing import Any

import pytest

from tertulia.models.calls import Finished, StreamEvent, TextDelta, ThinkingDelta, ToolCall, Usage
from tertulia.models.errors import ProviderDown, ProviderError, ProviderGarbled
from tertulia.models.providers import Endpoint
from tertulia.models.providers.anthropic_reply import AnthropicReplyParser
from tertulia.models.providers.gemini_reply import GeminiReplyParser
from tertulia.models.providers.openai_reply import OpenAIReplyParser
from tertulia.models.providers.reply_parser import FinishReason, ReplyParser

HERE = Endpoint("here", "openai", "http://127.0.0.1")


def hear(reply: ReplyParser, *events: Any) -> list[StreamEvent]:
    heard: list[StreamEvent] = []
    for event in events:
        heard += reply.parse_event(json.dumps(event).encode()) or []
    return heard + reply.final_events()


def delta(**fields: Any) -> dict[str, Any]:
    return {"choices": [{"delta": fields}]}


def finish(reason: str = "stop") -> dict[str, Any]:
    return {"choices": [{"delta": {}, "finish_reason": reason}]}


def piece(arguments: str = "", **fields: Any) -> dict[str, Any]:
    name = fields.pop("name", None)
    return {"function": {"name": name, "arguments": arguments}, **fields}


def calls(heard: list[StreamEvent]) -> list[tuple[str, str]]:
    return [(call.name, call.arguments) for call in heard if isinstance(call, ToolCall)]


def test_calls_without_numbers_are_told_apart_by_their_ids() -> None:
    pieces = [piece('{"a":1}', id="1", name="f"), piece('{"b":2}', id="2", name="g")]
    heard = hear(OpenAIReplyParser(HERE, "m"), delta(tool_calls=pieces), finish())

    assert calls(heard) == [("f", '{"a":1}'), ("g", '{"b":2}')]
    assert heard[-1] == Finished("tools")


def test_calls_with_the_same_number_are_told_apart_by_their_ids() -> None:
    pieces = [piece("{}", index=0, id="1", name="f"), piece("{}", index=0, id="2", name="g")]

    assert len(calls(hear(OpenAIReplyParser(HERE, "m"), delta(tool_calls=pieces), finish("tool_calls")))) == 2


def test_pieces_of_two_calls_may_alternate() -> None:
    heard = hear(
        OpenAIReplyParser(HERE, "m"),
        delta(tool_calls=[piece('{"a"', index=0, id="1", name="f"), piece("[", index=1, id="2", name="g")]),
        delta(tool_calls=[piece("]", index=1), piece(":1}", index=0)]),
        finish("tool_calls"),
    )

    assert calls(heard) == [("f", '{"a":1}'), ("g", "[]")]


def test_a_call_without_an_id_gets_one() -> None:
    heard = hear(OpenAIReplyParser(HERE, "m"), delta(tool_calls=[piece("{}", index=0, name="f")]), finish())

    assert all(call.id for call in heard if isinstance(call, ToolCall))


def test_a_call_cut_by_the_limit_is_not_passed_on() -> None:
    heard = hear(
        OpenAIReplyParser(HERE, "m"), delta(tool_calls=[piece('{"a', index=0, name="f")]), finish("length")
    )

    assert heard == [Finished("length")]


@pytest.mark.parametrize("name", ["reasoning", "reasoning_content"])
def test_thinking_is_heard_under_either_name(name: str) -> None:
    heard = hear(OpenAIReplyParser(HERE, "m"), delta(**{name: "Hm"}), delta(content="Hi"), finish())

    assert heard == [ThinkingDelta("Hm"), TextDelta("Hi"), Finished("done")]


def test_openrouters_thinking_is_kept_whole_to_be_sent_back() -> None:
    one = {"type": "reasoning.text", "index": 0, "text": "Two "}
    two = {"type": "reasoning.text", "index": 0, "text": "and two", "signature": "s"}
    sealed = {"type": "reasoning.encrypted", "index": 1, "data": "abc", "id": "c1"}
    heard = hear(
        OpenAIReplyParser(HERE, "m"),
        delta(reasoning="Two ", reasoning_details=[one]),
        delta(reasoning="and two", reasoning_details=[two, sealed]),
        finish(),
    )

    block = next(thought.block for thought in heard if isinstance(thought, ThinkingDelta) and thought.block)
    assert block["block"]["reasoning_details"] == [{**two, "text": "Two and two"}, sealed]


@pytest.mark.parametrize(
    ("usage", "expected"),
    [
        (
            {"prompt_tokens": 9, "completion_tokens": 4, "cost": 0.002},
            Usage(input=9, output=4, cost=0.002),
        ),
        (
            {
                "prompt_tokens": 9,
                "completion_tokens": 4,
                "total_tokens": 20,
                "completion_tokens_details": {"reasoning_tokens": 7},
            },
            Usage(input=9, output=11, thinking=7),
        ),
        (
            {"prompt_tokens": 9, "completion_tokens": 4, "prompt_cache_hit_tokens": 5},
            Usage(input=9, output=4, cached=5),
        ),
        (
            {"prompt_tokens": 9, "completion_tokens": 4, "prompt_tokens_details": None},
            Usage(input=9, output=4),
        ),
    ],
)
def test_usage_is_read_from_every_dialect(usage: dict[str, Any], expected: Usage) -> None:
    heard = hear(OpenAIReplyParser(HERE, "m"), finish(), {"choices": [], "usage": usage})

    assert expected in heard


def test_usage_on_every_chunk_is_told_first_and_last_only() -> None:
    chunks = [
        delta(content="x") | {"usage": {"prompt_tokens": 3, "completion_tokens": count}}
        for count in (1, 2, 3)
    ]
    heard = hear(OpenAIReplyParser(HERE, "m"), *chunks, finish())

    assert [one.output for one in heard if isinstance(one, Usage)] == [1, 3]


def test_content_in_typed_parts_is_heard() -> None:
    thinking = {"type": "thinking", "thinking": [{"type": "text", "text": "Hm"}]}
    heard = hear(
        OpenAIReplyParser(HERE, "m"), delta(content=[thinking, {"type": "text", "text": "Hi"}]), finish()
    )

    assert heard == [ThinkingDelta("Hm"), TextDelta("Hi"), Finished("done")]


def test_a_finish_that_is_an_error_is_raised() -> None:
    with pytest.raises(ProviderDown):
        hear(OpenAIReplyParser(HERE, "m"), delta(content="Half a"), finish("error"))


@pytest.mark.parametrize(
    ("kind", "event"),
    [
        (OpenAIReplyParser, {"choices": [{"delta": {"content": None, "tool_calls": None}}], "usage": None}),
        (AnthropicReplyParser, {"type": "content_block_delta", "delta": {"text": None, "signature": None}}),
        (GeminiReplyParser, {"candidates": [{"content": {"parts": [{"text": None, "thought": None}]}}]}),
        (GeminiReplyParser, {"candidates": [{"content": {"parts": None}, "finishReason": None}]}),
    ],
)
def test_nulls_where_nothing_is_meant_do_no_harm(kind: type[ReplyParser], event: dict[str, Any]) -> None:
    assert kind(HERE, "m").parse_event(json.dumps(event).encode()) is None


def test_a_refusal_is_text_and_a_finish() -> None:
    heard = hear(OpenAIReplyParser(HERE, "m"), delta(refusal="I cannot."), finish())

    assert heard == [TextDelta("I cannot."), Finished("refused")]


@pytest.mark.parametrize("event", [{}, {"choices": []}, delta(content=""), delta(role="assistant")])
def test_an_empty_chunk_is_only_a_sign_of_life(event: dict[str, Any]) -> None:
    assert OpenAIReplyParser(HERE, "m").parse_event(json.dumps(event).encode()) is None


def test_a_claudes_cached_tokens_are_part_of_the_input() -> None:
    start = {"input_tokens": 10, "cache_read_input_tokens": 70, "cache_creation_input_tokens": 20}
    heard = hear(
        AnthropicReplyParser(HERE, "m"),
        {"type": "message_start", "message": {"usage": start | {"output_tokens": 1}}},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 9}},
    )

    assert heard[0] == Usage(input=100, output=1, cached=70, cache_write=20)
    assert heard[1:] == [Usage(input=100, output=9, cached=70, cache_write=20), Finished("done")]


def test_a_claudes_redacted_thinking_is_kept_to_be_sent_back() -> None:
    heard = hear(
        AnthropicReplyParser(HERE, "m"),
        {"type": "content_block_start", "content_block": {"type": "redacted_thinking", "data": "xyz"}},
        {"type": "content_block_stop"},
    )

    assert isinstance(heard[0], ThinkingDelta)
    assert heard[0].block is not None
    assert heard[0].block["block"] == {"type": "redacted_thinking", "data": "xyz"}


def test_a_claudes_call_without_arguments_has_an_empty_object() -> None:
    block = {"type": "tool_use", "id": "t", "name": "now", "input": {}}
    heard = hear(
        AnthropicReplyParser(HERE, "m"),
        {"type": "content_block_start", "content_block": block},
        {"type": "content_block_stop"},
        {"type": "message_delta", "delta": {"stop_reason": "tool_use"}},
    )

    assert heard == [ToolCall("t", "now", "{}"), Finished("tools")]


def test_events_of_unknown_kinds_are_ignored() -> None:
    assert AnthropicReplyParser(HERE, "m").parse_event(b'{"type": "content_block_glow", "new": [1]}') is None


@pytest.mark.parametrize(
    ("reason", "expected"),
    [("STOP", "done"), ("MAX_TOKENS", "length"), ("SAFETY", "refused"), ("SOMETHING_NEW", "refused")],
)
def test_why_a_gemini_stopped(reason: str, expected: FinishReason) -> None:
    heard = hear(GeminiReplyParser(HERE, "m"), {"candidates": [{"finishReason": reason}]})

    assert heard == [Finished(expected)]


def test_a_gemini_that_wrote_an_unreadable_call_says_so() -> None:
    with pytest.raises(ProviderGarbled, match="here"):
        hear(GeminiReplyParser(HERE, "m"), {"candidates": [{"finishReason": "MALFORMED_FUNCTION_CALL"}]})


def test_a_geminis_thinking_is_part_of_its_output() -> None:
    usage = {"promptTokenCount": 5, "candidatesTokenCount": 3, "thoughtsTokenCount": 4}
    heard = hear(GeminiReplyParser(HERE, "m"), {"usageMetadata": usage})

    assert heard[0] == Usage(input=5, output=7, thinking=4)


@pytest.mark.parametrize("kind", [OpenAIReplyParser, AnthropicReplyParser, GeminiReplyParser])
def test_an_error_object_is_raised(kind: type[ReplyParser]) -> None:
    with pytest.raises(ProviderError, match="here"):
        hear(kind(HERE, "m"), {"type": "error", "error": {"type": "api_error", "message": "Broken"}})
