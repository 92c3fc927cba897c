"""The official library and our adapter read the same stream to the same reply."""

import asyncio
import json

import pytest
from tests.contract.asking import MODEL, Adapter
from tests.contract.oracles import ORACLES
from tests.scripted_provider import Script, ScriptedCall, ScriptedUsage

USAGE = ScriptedUsage(input=1000, output=77, cached=640, thinking=20)
SCRIPTS = {
    "plain text": Script(reply="Good day to you, señor. 👋"),
    "thinking": Script(reply="Four.", thinking="Two and two.", usage=USAGE),
    "cached tokens": Script(reply="Again.", usage=USAGE),
    "a tool call": Script(tool_calls=[ScriptedCall(name="look", arguments='{"at": "the sea", "n": 2}')]),
    "text and two tool calls": Script(
        reply="Let me see.",
        tool_calls=[
            ScriptedCall(name="look", arguments='{"at": "á"}'),
            ScriptedCall(name="wait", arguments="{}"),
        ],
    ),
    "cut by the limit": Script(reply="Once upon a", finish="length"),
}


@pytest.mark.parametrize("name", SCRIPTS)
async def test_both_read_the_same(adapter: Adapter, name: str) -> None:
    adapter.scripted.script(MODEL, SCRIPTS[name])

    ours = await adapter.ask()
    theirs = await asyncio.to_thread(ORACLES[adapter.kind], adapter.scripted)

    assert (ours.text, ours.thinking) == (theirs.text, theirs.thinking)
    assert [(call.name, json.loads(call.arguments)) for call in ours.calls] == [
        (tool, json.loads(arguments)) for tool, arguments in theirs.calls
    ]
    assert ours.usage is not None
    assert (ours.usage.input, ours.usage.output) == (theirs.input, theirs.output)
    assert ours.usage.cached == theirs.cached


@pytest.mark.parametrize("name", SCRIPTS)
async def test_a_reply_finishes_once_and_says_why(adapter: Adapter, name: str) -> None:
    adapter.scripted.script(MODEL, SCRIPTS[name])
    reason = {"a tool call": "tools", "text and two tool calls": "tools", "cut by the limit": "length"}

    assert (await adapter.ask()).finished == [reason.get(name, "done")]


async def test_a_simple_question_is_asked_as_the_official_library_asks_it(adapter: Adapter) -> None:
    await adapter.ask()
    ours = adapter.sent()
    await asyncio.to_thread(ORACLES[adapter.kind], adapter.scripted)
    theirs = adapter.scripted.requests()[-1]

    assert theirs.path == adapter.scripted.requests()[0].path
    assert flattened(ours) == flattened(theirs.body)


def flattened(body: dict[str, object]) -> set[str]:
    """Return the texts and numbers of a body: the library has more ways to write the same."""
    left_out = ("max_tokens", "cache_control", "role", "type")
    found: set[str] = set()
    for name, value in body.items():
        values = value if isinstance(value, list) else [value]
        for one in values:
            if isinstance(one, dict):
                found |= flattened(one)
            elif name not in left_out:
                found.add(str(one))
    return found
