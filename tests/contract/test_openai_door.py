"""Any program that speaks OpenAI's format: shown with the official package, against the real server."""

import asyncio
from collections.abc import AsyncGenerator
from typing import Any

import openai
import pytest
from openai.types.chat import ChatCompletionMessageParam
from tests.scripted_provider import Fault, Script, ScriptedProvider
from tests.world import Person, World


@pytest.fixture
async def client(world: World, ada: Person) -> AsyncGenerator[openai.AsyncOpenAI]:
    async with openai.AsyncOpenAI(base_url=f"{world.url}/v1", api_key=ada.token, max_retries=0) as client:
        yield client


def said(*texts: str) -> list[ChatCompletionMessageParam]:
    return [
        {"role": "assistant", "content": text} if place % 2 else {"role": "user", "content": text}
        for place, text in enumerate(texts)
    ]


async def test_the_providers_models_are_listed(client: openai.AsyncOpenAI) -> None:
    names = [model.id async for model in await client.models.list()]

    assert {"scripted-smart", "scripted-fast", "librarian"} <= set(names)
    assert (await client.models.retrieve("scripted-fast")).id == "scripted-fast"


async def test_a_whole_answer(client: openai.AsyncOpenAI) -> None:
    answer = await client.chat.completions.create(model="scripted-fast", messages=said("Hello"))

    assert answer.choices[0].message.content == "scripted-fast heard: Hello"
    assert answer.choices[0].finish_reason == "stop"
    assert answer.usage
    assert answer.usage.total_tokens == answer.usage.prompt_tokens + answer.usage.completion_tokens


async def test_a_stream_with_thinking_and_usage(
    client: openai.AsyncOpenAI, provider: ScriptedProvider
) -> None:
    provider.script("scripted-fast", Script(reply="one two three", thinking="hmm"))
    stream = await client.chat.completions.create(
        model="scripted-fast", messages=said("Hello"), stream=True, stream_options={"include_usage": True}
    )
    chunks = [chunk async for chunk in stream]

    deltas = [chunk.choices[0].delta for chunk in chunks if chunk.choices]
    assert "".join(delta.content or "" for delta in deltas) == "one two three"
    assert "".join(getattr(delta, "reasoning_content", None) or "" for delta in deltas) == "hmm"
    assert chunks[-1].usage
    assert chunks[-1].usage.completion_tokens > 0


async def test_the_model_hears_the_programs_words_and_no_others(
    client: openai.AsyncOpenAI, provider: ScriptedProvider
) -> None:
    system: ChatCompletionMessageParam = {"role": "system", "content": "Be brief."}
    messages = [system, *said("a", "b", "c")]
    await client.chat.completions.create(
        model="scripted-fast", messages=messages, temperature=0.5, max_tokens=77
    )

    body = provider.requests("scripted-fast")[-1].body
    assert body["messages"] == messages
    assert body["temperature"] == 0.5
    assert body["max_tokens"] == 77


async def test_going_on_is_the_same_conversation(client: openai.AsyncOpenAI, ada: Person) -> None:
    texts = ["Hello"]
    for follow_up in ("And then?", "And after that?"):
        answer = await client.chat.completions.create(model="scripted-fast", messages=said(*texts))
        texts += [answer.choices[0].message.content or "", follow_up]
    await client.chat.completions.create(model="scripted-fast", messages=said(*texts))

    kept = (await ada.get("/api/conversations?origin=api")).json()["conversations"]
    assert [one["round_count"] for one in kept] == [3]
    assert (await ada.get("/api/conversations")).json()["conversations"] == []


async def test_an_altered_transcript_is_kept_as_it_was_sent(client: openai.AsyncOpenAI, ada: Person) -> None:
    await client.chat.completions.create(model="scripted-fast", messages=said("Hello"))
    await client.chat.completions.create(
        model="scripted-fast", messages=said("Hello", "something we never said", "Well?")
    )

    kept = (await ada.get("/api/conversations?origin=api")).json()["conversations"]
    assert sorted(one["round_count"] for one in kept) == [1, 2]
    page = (await ada.get(f"/api/conversations/{kept[0]['id']}")).json()
    assert page["rounds"][0]["replies"][0]["content"] == "something we never said"


async def test_several_models_answer_under_their_names(client: openai.AsyncOpenAI, ada: Person) -> None:
    made = await ada.post("/api/presets", {"name": "both", "models": ["scripted-fast", "scripted-smart"]})
    assert made.status_code == 201
    names = [model.id async for model in await client.models.list()]
    assert "table/both" in names

    for name in ("table/both", "scripted-fast+scripted-smart"):
        answer = await client.chat.completions.create(model=name, messages=said("Hello"))
        assert answer.choices[0].message.content == (
            "**scripted-fast**\n\nscripted-fast heard: Hello\n\n"
            "**scripted-smart**\n\nscripted-smart heard: Hello"
        )


async def test_a_table_can_end_in_one_merged_answer(client: openai.AsyncOpenAI, ada: Person) -> None:
    preset = {"name": "one", "models": ["scripted-fast"] * 2, "merge_model": "scripted-smart"}
    await ada.post("/api/presets", preset)
    stream = await client.chat.completions.create(model="table/one", messages=said("Hello"), stream=True)
    text = "".join([chunk.choices[0].delta.content or "" async for chunk in stream if chunk.choices])

    assert text.startswith("scripted-smart heard:")


async def test_a_table_keeps_how_long_each_model_thinks_unless_the_program_says(
    client: openai.AsyncOpenAI, ada: Person
) -> None:
    models = ["scripted-fast", "scripted-smart", "scripted-fast"]
    await ada.post("/api/presets", {"name": "slow", "models": models, "efforts": ["high", None, "low"]})
    await ada.post("/api/presets", {"name": "free", "models": models})

    async def efforts(name: str, **more: Any) -> list[str | None]:
        await client.chat.completions.create(model=name, messages=said("Hello"), **more)
        [latest, *_] = (await ada.get("/api/conversations?origin=api")).json()["conversations"]
        shown = (await ada.get(f"/api/conversations/{latest['id']}")).json()
        return [reply["effort"] for reply in shown["rounds"][-1]["replies"]]

    assert await efforts("table/slow") == ["high", None, "low"]
    assert await efforts("table/slow", reasoning_effort="medium") == ["medium"] * 3
    assert await efforts("table/free") == [None] * 3


async def test_a_program_that_goes_away_stops_its_reply(
    client: openai.AsyncOpenAI, provider: ScriptedProvider
) -> None:
    provider.script("scripted-fast", Script(reply="word " * 500, tokens_per_second=20))
    stream = await client.chat.completions.create(model="scripted-fast", messages=said("Hello"), stream=True)
    async for chunk in stream:
        if chunk.choices[0].delta.content:
            break
    await stream.close()

    gone = lambda: provider.requests("scripted-fast")[0].disconnected  # noqa: E731 - it is a condition
    assert await asyncio.to_thread(provider.wait_for, gone, seconds=3)


async def test_failures_are_openais_failures(client: openai.AsyncOpenAI, provider: ScriptedProvider) -> None:
    with pytest.raises(openai.NotFoundError):
        await client.chat.completions.create(model="nonesuch", messages=said("Hello"))
    with pytest.raises(openai.UnprocessableEntityError):
        await client.chat.completions.create(model="scripted-fast", messages=said("Hello", "there"))
    with pytest.raises(openai.AuthenticationError):
        await client.with_options(api_key="ttl_wrong").models.list()

    provider.script("scripted-fast", Script(fault=Fault(kind="status", status=400)))
    with pytest.raises(openai.InternalServerError):
        await client.chat.completions.create(model="scripted-fast", messages=said("Hello"))
    stream = await client.chat.completions.create(model="scripted-fast", messages=said("Hello"), stream=True)
    with pytest.raises(openai.APIError):
        [chunk async for chunk in stream]
