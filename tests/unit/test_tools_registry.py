"""The registry of tools: whatever a model asks for, it gets an answer that helps it on."""

import asyncio
import json
from typing import Annotated, Any, cast

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Meta

from tertulia.core.errors import Invalid
from tertulia.core.principal import Principal, Role
from tertulia.models.calls import ToolCall
from tertulia.tools.domain import Effect, ToolCaller, ToolOutput
from tertulia.tools.mcp.mcp_tool import McpTool
from tertulia.tools.mcp.responses import parse_tool
from tertulia.tools.parameters import parameters_of
from tertulia.tools.registry import ToolRegistry
from tertulia.tools.schema_simplifier import simplify_parameters
from tertulia.tools.workspace_tools import EffectOverride

CALLER = ToolCaller(Principal("usr_1", "wsp_1", Role.MEMBER), "prj_1", "cnv_1", model_is_local=False)


class Inner(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    deep: bool | None = None


class Wanted(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    word: Annotated[str, Meta(description="The word.")]
    times: Annotated[int, Meta(ge=1, le=3)] | None = None
    inner: Annotated[Inner | None, Meta(description="More.")] = None


class Echo:
    name = "echo"
    description = "Says a word."
    shape = Wanted
    parameters = parameters_of(Wanted)
    effect = Effect.READ

    async def run(self, arguments: Wanted, caller: ToolCaller) -> ToolOutput:
        match arguments.word:
            case "invalid":
                raise Invalid("Say something else.")
            case "bug":
                raise KeyError("secret detail")
            case "slow":
                await asyncio.sleep(60)
            case _:
                pass
        return ToolOutput(arguments.word * (arguments.times or 1))


BOX = ToolRegistry([Echo()], seconds=0.05)


async def run(arguments: str, name: str = "echo", caller: ToolCaller = CALLER) -> ToolOutput:
    return await BOX.run(ToolCall("call_1", name, arguments), caller)


async def test_a_tool_is_given_its_arguments_typed() -> None:
    assert await run('{"word": "ha", "times": 2}') == ToolOutput("haha")


@pytest.mark.parametrize("times", ['"2"', "2.0", "2"])
async def test_numbers_are_taken_however_models_write_them(times: str) -> None:
    assert await run(f'{{"word": "ha", "times": {times}, "inner": null}}') == ToolOutput("haha")


@pytest.mark.parametrize(
    ("arguments", "helps"),
    [
        ("{not json", "malformed"),
        ("", "word"),
        ("[]", "object"),
        ('{"word": 3, "times": {}}', "times"),
        ('{"word": "a", "times": 9}', "<= 3"),
        ('{"word": "a", "wrod": "b"}', "wrod"),
        ("[" * 100_000, "nested"),
    ],
)
async def test_wrong_arguments_are_answered_with_what_is_wrong_and_how_they_should_be(
    arguments: str, helps: str
) -> None:
    result = await run(arguments)

    assert result.failed
    assert helps in result.text
    assert '"required":["word"]' in result.text


class Foreign:
    """A tool of a server: all that is known of its arguments is what it says of them."""

    name = "foreign__send"
    description = "Sends."
    shape = dict[str, Any]
    effect = Effect.SIDE
    parameters = simplify_parameters(
        {
            "type": "object",
            "properties": {
                "to": {"type": "string"},
                "times": {"type": "integer"},
                "size": {"type": "number"},
                "fast": {"type": "boolean"},
                "either": {"type": ["string", "integer"]},
                "body": {
                    "type": "object",
                    "properties": {"tags": {"type": "array", "items": {"type": "string"}}},
                    "required": ["tags"],
                },
            },
            "required": ["to"],
        }
    )

    async def run(self, arguments: dict[str, Any], caller: ToolCaller) -> ToolOutput:
        return ToolOutput(json.dumps(arguments))


@pytest.mark.parametrize(
    "arguments",
    [
        '{"to": "x"}',
        '{"to": "x", "times": 2.0, "size": 1, "fast": false, "body": {"tags": ["a"], "more": 1}}',
        '{"to": null, "times": null, "unheard": [1], "either": 3}',
        '{"to": "x", "either": "3"}',
    ],
)
async def test_a_tool_of_a_server_is_given_all_that_it_may_understand(arguments: str) -> None:
    box, call = ToolRegistry([Foreign()]), ToolCall("1", "foreign__send", arguments)

    assert box.check(call, CALLER) is None
    assert json.loads((await box.run(call, CALLER)).text) == json.loads(arguments)


@pytest.mark.parametrize(
    ("arguments", "helps"),
    [
        ("{not json", "malformed"),
        ("[]", "object"),
        ("", "to must be given"),
        ('{"to": 3}', "to must be of the type string"),
        ('{"to": "x", "times": 2.5}', "times must be of the type integer"),
        ('{"to": "x", "times": 1e300, "size": true}', "size must be of the type number"),
        ('{"to": "x", "fast": "yes"}', "fast must be of the type boolean"),
        ('{"to": "x", "body": {}}', "body.tags must be given"),
        ('{"to": "x", "body": {"tags": ["a", 2]}}', "body.tags[1] must be of the type string"),
    ],
)
async def test_what_a_server_cannot_use_is_not_sent_to_it(arguments: str, helps: str) -> None:
    box, call = ToolRegistry([Foreign()]), ToolCall("1", "foreign__send", arguments)

    wrong = box.check(call, CALLER)
    assert wrong is not None
    assert (wrong.failed, helps in wrong.text) == (True, True), wrong.text
    assert await box.run(call, CALLER) == wrong


@pytest.mark.parametrize(
    ("schema", "arguments", "wrong"),
    [
        ({"properties": {"to": {"type": "string"}}}, {"to": "x", "cc": "y"}, "there is no argument cc"),
        ({"properties": {"to": {}}, "additionalProperties": False}, {"cc": 1}, "there is no argument cc"),
        ({"properties": {"to": {}}, "additionalProperties": True}, {"cc": 1}, ""),
        ({"properties": {"to": {}}, "patternProperties": {"^x-": {}}}, {"x-a": 1}, ""),
        ({"properties": {}}, {"cc": 1}, ""),
        ({"$ref": "#/$defs/it", "$defs": {"it": {"properties": {"to": {}}}}}, {"cc": 1}, ""),
        ({"properties": {f"p{n}": {} for n in range(80)}}, {"p79": 1}, ""),
        (None, {"cc": 1}, ""),
    ],
)
@pytest.mark.parametrize("counted", [False, True])
def test_an_argument_that_a_server_does_not_know_is_told_before_anybody_is_asked(
    schema: Any, arguments: dict[str, Any], wrong: str, counted: bool
) -> None:
    offered = parse_tool({"name": "send", "inputSchema": schema})
    assert offered is not None
    tool = McpTool("post", offered, cast("Any", None), Effect.SIDE)
    box = ToolRegistry([EffectOverride(tool, Effect.READ) if counted else tool])

    found = box.check(ToolCall("1", "post__send", json.dumps(arguments)), CALLER)
    assert (found.text if found else "").partition(": ")[2].partition(".")[0] == wrong


async def test_a_call_can_be_checked_without_being_run() -> None:
    assert BOX.check(ToolCall("1", "echo", '{"word": "bug"}'), CALLER) is None
    for name, arguments in (("echo", "{}"), ("ehco", "{}"), ("", "{")):
        call = ToolCall("1", name, arguments)
        assert BOX.check(call, CALLER) == await BOX.run(call, CALLER)


async def test_an_unknown_tool_is_answered_with_the_tools_there_are() -> None:
    assert await run("{}", name="ehco") == ToolOutput(
        "There is no tool called 'ehco'. You can call echo.", failed=True
    )
    assert (await run("{}", name="x" * 10_000)).text.count("x") < 100
    assert "names no tool" in (await run("{}", name="")).text


async def test_a_failure_is_told_in_its_own_words_and_a_mistake_of_ours_without_details() -> None:
    assert await run('{"word": "invalid"}') == ToolOutput("Say something else.", failed=True)
    mistake = await run('{"word": "bug"}')
    assert mistake.failed
    assert "secret" not in mistake.text


async def test_a_tool_that_takes_too_long_is_given_up() -> None:
    result = await run('{"word": "slow"}')
    assert result.failed
    assert "took longer than" in result.text


async def test_being_cancelled_is_not_kept_from_whoever_cancels() -> None:
    slow = asyncio.create_task(ToolRegistry([Echo()]).run(ToolCall("1", "echo", '{"word": "slow"}'), CALLER))
    await asyncio.sleep(0)
    slow.cancel()
    with pytest.raises(asyncio.CancelledError):
        await slow


async def test_outside_of_a_project_there_are_no_tools() -> None:
    nowhere = ToolCaller(CALLER.by, None, "cnv_1", model_is_local=True)

    assert BOX.tool_definitions(nowhere) == ()
    assert "no tools here" in (await run('{"word": "a"}', caller=nowhere)).text


def test_tools_are_offered_without_references_or_nulls_which_some_providers_refuse() -> None:
    (tool,) = BOX.tool_definitions(CALLER)

    assert (tool.name, tool.description) == ("echo", "Says a word.")
    assert tool.parameters["properties"] == {
        "word": {"type": "string", "description": "The word."},
        "times": {"type": "integer", "minimum": 1, "maximum": 3},
        "inner": {
            "type": "object",
            "description": "More.",
            "properties": {"deep": {"type": "boolean"}},
            "required": [],
            "additionalProperties": False,
        },
    }
    assert not {"$ref", "anyOf", "null", "default"} & set(keys(tool.parameters))


def keys(schema: Any) -> list[str]:
    if isinstance(schema, dict):
        return [name for key, value in schema.items() for name in (key, *keys(value))]
    return [schema] if isinstance(schema, str) else []


@given(st.text(), st.text())
def test_nothing_that_a_model_writes_raises(name: str, arguments: str) -> None:
    result = asyncio.run(BOX.run(ToolCall("1", name, arguments), CALLER))
    assert result.failed
