"""The Librarian: answers by quoting the passages that speak of what was asked. No model is behind it."""

import asyncio
from collections.abc import AsyncGenerator

from tertulia.models.calls import Call, Finished, Heard, Offered, Text, Usage
from tertulia.models.passages import Passage, passages_of, question_of
from tertulia.models.ranking import scores, terms
from tertulia.models.tokens import count, count_call

NAME = "librarian"
MOST_QUOTES = 4
#: A passage that matches less than this share of the best one is left out.
WORTH_QUOTING = 0.3
#: What being the first that was looked up counts, against the best match of words.
FOUND_COUNTS = 1.0
PIECE = 60


class Librarian:
    """A provider that looks only at the prompt it is given."""

    async def stream(self, call: Call) -> AsyncGenerator[Heard, None]:
        """Yield the best passages as quotes, or say kindly that there are none."""
        answer = await asyncio.to_thread(answer_to, call)
        for start in range(0, len(answer), PIECE):
            yield Text(answer[start : start + PIECE])
            await asyncio.sleep(0)
        used = await asyncio.to_thread(count_call, call)
        yield Usage(input=used, output=count(answer, NAME))
        yield Finished("done")

    async def offered(self) -> list[Offered]:
        """Return the Librarian itself."""
        return [Offered(NAME)]


def answer_to(call: Call) -> str:
    """Return the whole answer."""
    question = question_of(call)
    quotes = best(passages_of(call), question)
    text = nothing_found(question) if not quotes else ""
    for most in range(len(quotes), 0, -1):
        text = quoted(quotes[:most])
        if count(text, NAME) <= call.output_limit:
            break
    return text


def best(passages: list[Passage], question: str) -> list[Passage]:
    """Return the few passages that answer best, the best first; of equals the later, of doubles one."""
    unique = list({passage.text: passage for passage in passages}.values())
    by_words = scores(question, [passage.text for passage in unique])
    most = max(by_words, default=0.0) or 1.0
    # What was looked up was found for a reason, which may be its meaning rather than its words.
    found = [most * FOUND_COUNTS / passage.number if passage.number else 0.0 for passage in unique]
    rated = zip(map(sum, zip(by_words, found, strict=True)), range(len(unique)), strict=True)
    order = sorted(((score, place) for score, place in rated if score > 0), reverse=True)
    return [unique[place] for score, place in order[:MOST_QUOTES] if score >= order[0][0] * WORTH_QUOTING]


def quoted(passages: list[Passage]) -> str:
    """Return passages as Markdown quotes, each with where it came from."""
    opening = "This is what I find here:" if len(passages) > 1 else "This is the one passage I find here:"
    return "\n\n".join([opening, *(quote(passage) for passage in passages)])


def quote(passage: Passage) -> str:
    """Return one Markdown quote with its source."""
    lines = [f"> {line}".rstrip() for line in passage.text.splitlines()]
    cited = f" [{passage.number}]" if passage.number else ""
    return "\n".join([*lines, ">", f"> — *{passage.where}*{cited}"])


def nothing_found(question: str) -> str:
    """Return a kind word when nothing matches, and what could be added."""
    about = " about that" if terms(question) else ", as I only answer to words that stand in your texts"
    return (
        f"I find nothing here{about}. I am no model: I quote from the project's files and brief and from "
        "what was said earlier. Add a file, or a line to the brief, and ask again, or ask a model: a "
        "provider's key, or Ollama running on this machine, is all it takes."
    )
