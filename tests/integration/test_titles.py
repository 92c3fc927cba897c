"""Titles that no model writes: the first words of the question as they were meant."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from tests.scripted_provider import Script, ScriptedProvider
from tests.world import Person, World


@pytest.fixture
async def world(tmp_path: Path, provider: ScriptedProvider) -> AsyncGenerator[World]:
    provider.script("utility", Script(reply=""))
    env = {"TERTULIA_BUILTIN_MODEL": "off", "TERTULIA_UTILITY_MODEL": "openai/utility"}
    async with World.open(tmp_path / "data", provider=provider, **env) as world:
        yield world


async def title_of(person: Person, question: str) -> str:
    turn = await person.start(question)
    named = await person.wait_for(turn, "conversation.changed")
    return named["conversation"]["title"]


async def test_a_title_is_the_question_as_it_was_written(ada: Person) -> None:
    titles = {
        "Compute 2*3*4": "Compute 2*3*4",
        "What does get_user_by_id do in C#?": "What does get_user_by_id do in C#?",
        "Is a[0] > b[1] in #main?": "Is a[0] > b[1] in #main?",
        "Dr. Smith asked for e.g. three beds. What now?": "Dr. Smith asked for e.g. three beds.",
        "Hi! Can you help me with taxes? I am lost.": "Hi! Can you help me with taxes?",
        "Why is __init__ called twice?": "Why is __init__ called twice?",
        "Hi!": "Hi!",
    }
    assert {question: await title_of(ada, question) for question in titles} == titles


async def test_marks_of_markdown_are_left_out_of_it(ada: Person) -> None:
    titles = {
        "# Plan for the **old** harbour\n\nText": "Plan for the old harbour",
        "- `make` fails on [our server](https://example.org/a_b)": "make fails on our server",
        "> quoted words of somebody\n\nIs that so?": "quoted words of somebody",
        "```python\nprint(2 * 3)\n```\nWhy does this print 6?": "Why does this print 6?",
        "```\nprint(__name__)\n```": "print(__name__)",
        "???": "???",
    }
    assert {question: await title_of(ada, question) for question in titles} == titles
