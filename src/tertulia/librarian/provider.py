"""The Librarian: answers by quoting the passages that speak of what was asked. No model is behind it."""

import asyncio
from collections.abc import AsyncGenerator

from tertulia.librarian.bm25 import bm25_scores, terms
from tertulia.librarian.paragraphs import split_passage
from tertulia.librarian.quote_markdown import to_markdown
from tertulia.models.builtin.models import LIBRARIAN_NAME
from tertulia.models.calls import (
    Call,
    Finished,
    OfferedModel,
    QuotablePassage,
    StreamEvent,
    TextDelta,
    Usage,
)
from tertulia.models.tokens import count, count_call

QUOTES_MAX = 4
#: A passage that matches less than this share of the best one is left out.
QUOTE_MIN_SCORE_SHARE = 0.3
#: What being the first that was looked up counts, against the best match of words.
RETRIEVED_PASSAGE_WEIGHT = 1.0
LIBRARIAN_DELTA_CHARS = 60


class Librarian:
    """A provider that looks only at what may be quoted of the prompt."""

    async def stream(self, call: Call) -> AsyncGenerator[StreamEvent, None]:
        """Yield the best passages as quotes, or say kindly that there are none."""
        answer = await asyncio.to_thread(answer_to, call)
        for start in range(0, len(answer), LIBRARIAN_DELTA_CHARS):
            yield TextDelta(answer[start : start + LIBRARIAN_DELTA_CHARS])
            await asyncio.sleep(0)
        used = await asyncio.to_thread(count_call, call)
        yield Usage(input=used, output=count(answer, LIBRARIAN_NAME))
        yield Finished("done")

    async def offered(self) -> list[OfferedModel]:
        """Return the Librarian itself."""
        return [OfferedModel(LIBRARIAN_NAME)]


def answer_to(call: Call) -> str:
    """Return the whole answer."""
    question = call.question or call.messages[-1].text
    passages = [part for passage in call.quotable for part in split_passage(passage)]
    quotes = rank_passages(passages, question)
    text = nothing_found_text(question) if not quotes else ""
    for quote_count in range(len(quotes), 0, -1):
        text = format_quotes(quotes[:quote_count])
        if count(text, LIBRARIAN_NAME) <= call.output_limit:
            break
    return text


def rank_passages(passages: list[QuotablePassage], question: str) -> list[QuotablePassage]:
    """Return the few passages that answer best, the best first; of equals the later, of doubles one."""
    unique = list({passage.text: passage for passage in passages}.values())
    by_words = bm25_scores(question, [passage.text for passage in unique])
    top_score = max(by_words, default=0.0) or 1.0
    # What was looked up was found for a reason, which may be its meaning rather than its words.
    found = [
        top_score * RETRIEVED_PASSAGE_WEIGHT / passage.number if passage.number else 0.0 for passage in unique
    ]
    rated = zip(map(sum, zip(by_words, found, strict=True)), range(len(unique)), strict=True)
    order = sorted(((score, place) for score, place in rated if score > 0), reverse=True)
    return [
        unique[place] for score, place in order[:QUOTES_MAX] if score >= order[0][0] * QUOTE_MIN_SCORE_SHARE
    ]


def format_quotes(passages: list[QuotablePassage]) -> str:
    """Return passages as Markdown quotes, each with where it came from."""
    opening = "This is what I find here:" if len(passages) > 1 else "This is the one passage I find here:"
    return "\n\n".join([opening, *(format_quote(passage) for passage in passages)])


def format_quote(passage: QuotablePassage) -> str:
    """Return one Markdown quote with its source."""
    lines = [f"> {line}".rstrip() for line in to_markdown(passage).splitlines()]
    cited = f" [{passage.number}]" if passage.number else ""
    return "\n".join([*lines, ">", f"> — *{passage.source}*{cited}"])


def nothing_found_text(question: str) -> str:
    """Return a kind word when nothing matches, and what could be added."""
    about = " about that" if terms(question) else ", as I only answer to words that stand in your texts"
    return (
        f"I find nothing here{about}. I am no model: I quote from the project's files and brief and from "
        "what was said earlier. Add a file, or a line to the brief, and ask again, or ask a model: a "
        "provider's key, or Ollama running on this machine, is all it takes."
    )
