"""Titles are short plain lines: of a question's first words, or of what a model wrote around one."""

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tertulia.conversations.question_title import TITLE_MAX_CHARS, title_from_question
from tertulia.upkeep.title_check import can_be_title
from tertulia.upkeep.title_text import title_from_answer

WORDS = st.text(alphabet="abcdefghijklmnopqrstuvwxyzäéñ漢字0123456789", min_size=1, max_size=9)
TITLES = (
    st.lists(WORDS, min_size=1, max_size=6)
    .map(" ".join)
    .filter(lambda title: len(title) <= TITLE_MAX_CHARS and not title[0].isdigit())
    .filter(can_be_title)
)
#: What models put around a title.
AROUND = [
    "{}",
    '"{}"',
    "“{}”",
    "«{}»",
    "'{}'",
    "`{}`",
    "# {}",
    "**{}**",
    "- {}",
    "> {}",
    "Title: {}",
    "**Title:** {}",
    "Title - {}",
    "Conversation title \u2013 {}",
    "{} (4 words)",
    "TITLE : {}",
    "Titel: {}",
    "Título: {}",
    "The title: {}",
    "Here is a title:\n{}",
    "{}\n\nIt names the subject.",
    "<think>What is it about?\n\nBoats.</think>\n{}",
    "What is it about?</think>{}",
    "<title>{}</title>",
    "```\n{}\n```",
    "\n\n  {}  \n",
]


@given(TITLES, st.sampled_from(AROUND[:8]), st.sampled_from(AROUND))
def test_a_title_is_found_in_whatever_stands_around_it(title: str, inner: str, outer: str) -> None:
    assert title_from_answer(outer.format(inner.format(title))) == title


@given(TITLES)
def test_a_title_is_taken_out_of_an_object(title: str) -> None:
    assert title_from_answer(json.dumps({"title": title})) == title
    assert title_from_answer(f"```json\n{json.dumps({'title': title, 'why': 'so'})}\n```") == title


@pytest.mark.parametrize(
    "answer",
    [
        "<think>never ends",
        "<THINKING>a</THINKING>",
        "<tool_call>\n{}\n</tool_call>",
        "<function=search>",
        "<|channel|>analysis<|message|>We need a title",
        '{"name": "search_project", "arguments": {"query": "boats"}}',
        '[{"type": "text"}]',
        '{"title": {"text": "a"}}',
        "```tool\nsearch_project(query)\n```\nand more",
        "<\uff5ctool▁calls▁begin\uff5c><\uff5ctool▁call▁begin\uff5c>function<\uff5ctool▁sep\uff5c>web_search",
        "<\uff5cDSML\uff5cfunction_calls>",
        "<\uff5cbegin▁of▁thinking\uff5c>hm",
        "◁think▷ The user wants a title",
        "<seed:think>The user asks</seed:think>",
        "[THINK]The user asks[/THINK]Boats",
        'web_search(query="boats")',
        '[web_search(query="boats")]',
        "Action: web_search\nAction Input: boats",
        'to=functions.web_search {"q":"x"}',
        "<search>boats</search>",
        "&lt;think&gt;The user asks",
        "\uff1cthink\uff1ehm hm",
        "Thinking: the user wants a title",
        "Okay, the user wants a title for this.",
        "I'm sorry, but I can't help with that.",
        "I\u2019m unable to do that",
        "Sure, here is a title for it",
        "Here's a title: Boats",
        "The user asks about boats",
        "We need a title of six words",
        "Es tut mir leid, das geht nicht",
        "抱歉\uff0c我无法回答",
        "A boat is a thing that swims on water.",
        "Boats [/THINK]",
        "Boats <|im_end|>",
        "query=boats",
        "…",
        "***",
        "Untitled",
        "New conversation",
        "No title",
        "**None**",
        '"N/A"',
        "null",
        "Title",
        "Sorry",
        "Error: rate limit reached",
        "Option 1: Boats",
        "assistantfinalBoats",
        "As a language model, I cannot",
        "Unable to generate a title",
        "Cannot assist with boats",
        "Hello! How can I help you today?",
        "How can I help you with boats?",
        "It seems you want a title",
        "That's a great question",
        "I am sorry, but as long as I do not know more about your boat and where it goes, I cannot say "
        "when it comes back to the island on a Sunday.",
    ],
)
def test_what_is_no_title_becomes_none(answer: str) -> None:
    assert title_from_answer(answer) == ""


@pytest.mark.parametrize(
    "title",
    [
        "Ramme im Tiefbau erklärt",
        "Lodka (план)",
        "print() in Python 3",
        "Sorting a vector<int> in C++",
        "Why is a[0] empty?",
        "¿Qué es un barco?",
        "🚢 Boats on Sunday",
        "The user interface of boats",
        "Let's Encrypt on an old server",
        "I, Robot: a summary",
        "Hello, World in Rust",
        "Cannot connect to the server",
        "Error 404 behind a proxy",
        "None of the boats leave",
        "As a child on a boat",
        "E = mc² and what it means",
        "R&D at 5 €: AT&T, 50 % off",
        ".NET and C#",
        "船で島へ行く",
        "हिन्दी में नाव",
        "قایق یکشنبه",
        "Sunday boats.",
    ],
)
def test_a_title_of_ordinary_words_is_taken_as_it_is(title: str) -> None:
    assert title_from_answer(title) == title


MARKS = st.text(alphabet="<>[]{}()|◁▷\uff1c\uff1e\uff5c▁【】⟨⟩", min_size=1, max_size=3)


@given(MARKS, TITLES, MARKS)
@example(">", "a", ">")
def test_what_stands_behind_marks_is_no_title(before: str, words: str, after: str) -> None:
    title = title_from_answer(f"{before}{words}{after}")
    assert not any(mark in title.rstrip(after) for mark in before)


@given(WORDS, WORDS, TITLES)
def test_a_call_is_no_title(name: str, argument: str, value: str) -> None:
    for call in (f'{name}({argument}="{value}")', f"{name}({value})", f'{argument}="{value}"'):
        assert title_from_answer(call) == ""


@given(st.text())
def test_whatever_a_model_answers_a_title_is_one_short_line(answer: str) -> None:
    title = title_from_answer(answer)
    assert len(title) <= TITLE_MAX_CHARS + 1
    assert len(title.splitlines()) <= 1


@given(st.text(max_size=400))
def test_whatever_is_asked_there_is_a_title_of_one_short_line(question: str) -> None:
    title = title_from_question(question)
    assert 0 < len(title) <= TITLE_MAX_CHARS + 1
    assert len(title.splitlines()) == 1


@given(st.lists(WORDS, min_size=3, max_size=40).map(" ".join))
def test_first_words_are_cut_at_a_word(question: str) -> None:
    title = title_from_question(question)
    kept = title.removesuffix("…")
    assert question.startswith(kept)
    assert question[len(kept) : len(kept) + 1] in ("", " ")


@pytest.mark.parametrize(
    ("question", "title"),
    [
        ("Compute 2*3*4", "Compute 2*3*4"),
        ("What does get_user_by_id do in C#?", "What does get_user_by_id do in C#?"),
        ("Is a[0] > b[1] in #main?", "Is a[0] > b[1] in #main?"),
        ("Dr. Smith asked for e.g. three beds. What now?", "Dr. Smith asked for e.g. three beds."),
        ("Hi! Can you help me with taxes? I am lost.", "Hi! Can you help me with taxes?"),
        ("Why is __init__ called twice?", "Why is __init__ called twice?"),
        ("Hi!", "Hi!"),
        ("# Plan for the **old** harbour\n\nText", "Plan for the old harbour"),
        ("- `make` fails on [our server](https://example.org/a_b)", "make fails on our server"),
        ("> quoted words of somebody\n\nIs that so?", "quoted words of somebody"),
        ("```python\nprint(2 * 3)\n```\nWhy does this print 6?", "Why does this print 6?"),
        ("```\nprint(__name__)\n```", "print(__name__)"),
        ("???", "???"),
    ],
)
def test_a_title_is_the_question_as_it_was_meant(question: str, title: str) -> None:
    assert title_from_question(question) == title
