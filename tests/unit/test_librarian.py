"""The Librarian quotes what it was given, says where that stands, and never invents."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.effort import effort

from tertulia.librarian.provider import Librarian
from tertulia.models.calls import (
    Call,
    Finished,
    PromptMessage,
    QuotablePassage,
    StreamEvent,
    TextDelta,
    Usage,
)

BRIEF = QuotablePassage(
    """We rotate tokens every 15 minutes. Mobile apps refresh them silently.

The garden behind the office has roses.""",
    "Project brief",
)
AUTH = QuotablePassage(
    "An expired token is answered with 401; the client then calls POST /auth/refresh.",
    "docs/auth.md, lines 1-2",
    1,
)


async def answer(question: str, *quotable: QuotablePassage, limit: int = 1000) -> list[StreamEvent]:
    messages = (PromptMessage("user", "much else"), PromptMessage("user", question))
    call = Call("librarian", "Never mention penguins.", messages, limit, question=question, quotable=quotable)
    return [event async for event in Librarian().stream(call)]


def text_of(heard: list[StreamEvent]) -> str:
    return "".join(event.text for event in heard if isinstance(event, TextDelta))


async def test_it_quotes_the_passage_that_speaks_of_the_question_and_says_where_it_stands() -> None:
    said = text_of(await answer("What happens with expired tokens?", BRIEF, AUTH))
    assert "> An expired token is answered with 401" in said
    assert "> — *docs/auth.md, lines 1-2* [1]" in said
    assert "roses" not in said


async def test_it_quotes_each_speaker_under_their_name() -> None:
    said = text_of(
        await answer(
            "When is the deadline?",
            QuotablePassage("Our deadline is May 3rd.", "You, earlier"),
            QuotablePassage("The deadline is May 4th.", "gpt-5, earlier"),
        )
    )
    assert "May 3rd.\n>\n> — *You, earlier*" in said
    assert "May 4th.\n>\n> — *gpt-5, earlier*" in said


async def test_nothing_but_what_may_be_quoted_is_quoted() -> None:
    assert ">" not in text_of(await answer("What about penguins, or much else?", BRIEF))


@pytest.mark.parametrize("number", [0, 2])
async def test_a_number_in_brackets_inside_a_quotation_cites_nothing(number: int) -> None:
    claim = QuotablePassage("The rate limit is 40 a minute [1], as `limits[1]` says [12].", "here", number)
    said = text_of(await answer("What is the rate limit?", claim))

    assert r"> The rate limit is 40 a minute [1\], as `limits[1]` says [12\]." in said
    assert said.endswith("> — *here* [2]" if number else "> — *here*")


async def test_code_is_quoted_to_the_letter() -> None:
    code = QuotablePassage("The limit:\n```\nlimit = limits[1]\n```\nSee [1].", "limits.md", 1)
    said = text_of(await answer("What is the limit?", code))

    assert "> limit = limits[1]\n" in said
    assert r"> See [1\]." in said


async def test_a_file_that_is_no_markdown_is_quoted_as_it_is_written() -> None:
    code = "def siftdown(heap):\n    # the children\n    child = 2*pos + 1\n    return heap[0], '``', <T>"
    said = text_of(
        await answer("What does siftdown do?", QuotablePassage(code, "heapq.py", 1, "lib/heapq.py"))
    )

    quoted = [line.removeprefix("> ") for line in said.split("\n") if line.startswith("> ")]
    assert quoted[:-1] == ["```py", *code.split("\n"), "```"]


async def test_a_block_of_code_is_closed_whatever_stands_in_it() -> None:
    text = "Fences:\n````\n```\n````\nend"
    said = text_of(await answer("Which fences?", QuotablePassage(text, "a.txt", 1, "a.txt")))

    assert "> `````txt\n> Fences:" in said
    assert "> end\n> `````\n" in said


async def test_a_piece_that_is_cut_out_of_a_block_of_code_is_shown_as_code() -> None:
    piece = QuotablePassage("limit = limits[1]\n```\nThe limit.", "limits.md", 1, "limits.md")
    said = text_of(await answer("What is the limit?", piece))

    assert "> ````md\n> limit = limits[1]\n" in said


async def test_prose_of_other_files_reads_as_it_is_written() -> None:
    prose = "1. The *limit* of <package> is a[2*k+1], and $5 or $6 for __all__ of it. " + "And so on. " * 20
    said = text_of(await answer("What is the limit?", QuotablePassage(prose, "a.pdf", 1, "a.pdf")))

    start = r"> 1\. The \*limit\* of \<package\> is a\[2\*k+1\], and \$5 or \$6 for \_\_all\_\_ of it."
    assert start in said


async def test_it_says_kindly_that_nothing_matches_and_what_to_add() -> None:
    for question in ("Where do volcanoes sleep?", "hello", "", "???"):
        said = text_of(await answer(question, BRIEF))
        assert "I find nothing here" in said
        assert "Add a file" in said


async def test_its_answer_ends_well_and_is_counted() -> None:
    heard = await answer("What happens with expired tokens?", BRIEF, AUTH)
    assert heard[-1] == Finished("done")
    usage = heard[-2]
    assert isinstance(usage, Usage)
    assert usage.output > 10
    assert usage.input > 5
    assert len([event for event in heard if isinstance(event, TextDelta)]) > 2


async def test_a_small_limit_gives_fewer_quotes() -> None:
    earlier = [QuotablePassage(f"Token number {number} is blue. " * 20, "You") for number in range(6)]
    full, short = [text_of(await answer("token blue?", *earlier, limit=limit)) for limit in (2000, 300)]
    assert full.count("— *") == 4
    assert short.count("— *") == 1


async def test_of_a_long_text_only_the_paragraph_is_quoted_that_matters() -> None:
    long = QuotablePassage("\n\n".join(["Roses are red."] * 3 + ["Tokens are blue."]), "Project brief")

    assert text_of(await answer("Which colour have tokens?", long)).count("\n> ") == 2


words = st.lists(st.sampled_from(["token", "garden", "roses", "apps", "refresh", "Paris"]), max_size=6)


@given(question=words, notes=st.text(st.characters(exclude_characters="["), max_size=300), said=words)
@settings(max_examples=effort(50))
async def test_every_quoted_line_stands_in_what_may_be_quoted(
    question: list[str], notes: str, said: list[str]
) -> None:
    quotable = (QuotablePassage(notes, "Notes"), QuotablePassage(" ".join(said), "You, earlier"))
    heard = await answer(" ".join(question), *quotable)
    assert heard == await answer(" ".join(question), *quotable)
    source = "\n".join(passage.text for passage in quotable)
    for line in text_of(heard).split("\n"):
        if line.startswith("> ") and not line.startswith("> — *"):
            assert line[2:].strip() in source
