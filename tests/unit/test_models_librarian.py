"""The Librarian quotes what it was given, says where that stands, and never invents."""

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.effort import effort

from tertulia.models.calls import Call, Finished, PromptMessage, StreamEvent, TextDelta, Usage
from tertulia.models.providers.librarian import Librarian

SYSTEM = """You are a helpful assistant. Never mention penguins.

# Project brief

We rotate tokens every 15 minutes. Mobile apps refresh them silently.

The garden behind the office has roses.

<file path="docs/auth.md">
An expired token is answered with 401; the client then calls POST /auth/refresh.
</file>

## Instructions

Answer questions about penguins in French.
"""


async def answer(
    question: str, *earlier: PromptMessage, system: str = SYSTEM, limit: int = 1000
) -> list[StreamEvent]:
    call = Call("librarian", system, (*earlier, PromptMessage("user", question)), limit)
    return [one async for one in Librarian().stream(call)]


def text_of(heard: list[StreamEvent]) -> str:
    return "".join(one.text for one in heard if isinstance(one, TextDelta))


async def test_it_quotes_the_passage_that_speaks_of_the_question_and_says_where_it_stands() -> None:
    said = text_of(await answer("What happens with expired tokens?"))
    assert "> An expired token is answered with 401" in said
    assert "docs/auth.md" in said
    assert "roses" not in said


async def test_it_quotes_what_was_said_earlier_and_by_whom() -> None:
    said = text_of(
        await answer(
            "When is the deadline?",
            PromptMessage("user", "Our deadline is May 3rd."),
            PromptMessage("assistant", "[claude-opus-4-1]: The deadline of May 3rd is tight."),
        )
    )
    assert "You, earlier" in said
    assert "claude-opus-4-1, earlier" in said


async def test_it_quotes_each_of_the_others_and_not_the_frames_around_them() -> None:
    framed = '<reply speaker="{}">\nThe deadline is {}.\n</reply>'
    others = "\n\n".join([framed.format("claude", "May 3rd"), framed.format("gpt-5", "May 4th")])
    said = text_of(
        await answer("When is the deadline?", PromptMessage("user", "Well?"), PromptMessage("user", others))
    )
    assert "May 3rd.\n>\n> — *claude, earlier*" in said
    assert "May 4th.\n>\n> — *gpt-5, earlier*" in said
    assert "<" not in said


async def test_it_does_not_quote_itself() -> None:
    own = PromptMessage(
        "assistant", "This is what I find here:\n\n> A deadline in June.\n>\n> — *You, earlier*"
    )
    assert "June" not in text_of(await answer("When is the deadline?", own))


async def test_instructions_to_models_are_never_quoted() -> None:
    assert ">" not in text_of(await answer("What about penguins?"))


async def test_it_says_kindly_that_nothing_matches_and_what_to_add() -> None:
    for question in ("Where do volcanoes sleep?", "hello", "", "???"):
        said = text_of(await answer(question))
        assert "I find nothing here" in said
        assert "Add a file" in said


async def test_its_answer_ends_well_and_is_counted() -> None:
    heard = await answer("What happens with expired tokens?")
    assert heard[-1] == Finished("done")
    usage = heard[-2]
    assert isinstance(usage, Usage)
    assert usage.input > usage.output > 10
    assert len([one for one in heard if isinstance(one, TextDelta)]) > 2


async def test_a_small_limit_gives_fewer_quotes() -> None:
    earlier = [PromptMessage("user", f"Token number {number} is blue. " * 20) for number in range(6)]
    full, short = [text_of(await answer("token blue?", *earlier, limit=limit)) for limit in (2000, 300)]
    assert full.count("— *") == 4
    assert short.count("— *") == 1


words = st.lists(st.sampled_from(["token", "garden", "roses", "apps", "refresh", "Paris"]), max_size=6)


@given(question=words, system=st.text(max_size=300), earlier=st.lists(words, max_size=4))
@settings(max_examples=effort(50))
async def test_every_quoted_line_stands_in_the_prompt(
    question: list[str], system: str, earlier: list[list[str]]
) -> None:
    said = [PromptMessage("user", " ".join(line)) for line in earlier]
    heard = await answer(" ".join(question), *said, system=f"# Notes\n\n{system}")
    again = await answer(" ".join(question), *said, system=f"# Notes\n\n{system}")
    assert heard == again
    source = system + "\n".join(one.text for one in said)
    for line in text_of(heard).split("\n"):
        if line.startswith("> ") and not line.startswith("> — *"):
            assert line[2:].strip() in source


FRAMED = """<files>

These files come with every question.

<passage number="1" source="docs/rates.md, lines 1-4">
The rate limit is 40 requests a minute.
</passage>

</files>"""
PINNED = """<pinned>

The person pinned these messages.

<message speaker="claude" round="3">
The rate limit of the trial is 5 requests.
</message>

</pinned>"""
SUMMARY = """<summary>

This is what is known of the earlier rounds.

Decided:
- The rate limit counts per workspace (round 2, 4)

</summary>"""


async def test_it_quotes_what_stands_in_frames_of_their_own_before_the_question() -> None:
    framed = (PromptMessage("user", FRAMED), PromptMessage("user", f"{PINNED}\n\n{SUMMARY}"))
    said = text_of(await answer("What is the rate limit?", *framed))

    assert "> The rate limit is 40 requests a minute.\n>\n> — *docs/rates.md, lines 1-4* [1]" in said
    assert "> The rate limit of the trial is 5 requests.\n>\n> — *claude, pinned*" in said
    assert "> The rate limit counts per workspace\n>\n> — *Round 2, 4, in short*" in said
    assert "come with every question" not in said
