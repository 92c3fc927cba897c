"""What is said in the long conversation: facts, commitments, decisions that are reversed, and small talk.

One person plans the move of a bakery, and a wedding beside it. Questions use other words than what was said
wherever people would.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

FOLDER = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Fact:
    """Something said once, a question that needs it, and the words that its prompt must then have."""

    said: str
    question: str
    needle: str


@dataclass(frozen=True, slots=True)
class Reversal:
    """Something decided, and taken back later; `old` may stand in a prompt only together with `new`."""

    decided: str
    reversed: str
    question: str
    old: str
    new: str

    def is_told_as_current(self, prompt: str) -> bool:
        """Tell whether a prompt has what was decided without what it was replaced by."""
        return has_words(prompt, self.old) and not has_words(prompt, self.new)


@dataclass(frozen=True, slots=True)
class Talk:
    """Sentences with figures that nobody needs again."""

    asked: tuple[str, ...]
    answered: tuple[str, ...]

    def question(self, chance: Random) -> str:
        """Return a question with figures."""
        return filled(chance.choice(self.asked), chance)

    def answer(self, chance: Random) -> str:
        """Return an answer with figures."""
        return filled(chance.choice(self.answered), chance)


def facts() -> list[Fact]:
    """Return what the person tells of themselves and their plans."""
    return [Fact(**row) for row in rows("facts")]


def commitments() -> list[Fact]:
    """Return what was promised."""
    return [Fact(**row) for row in rows("commitments")]


def reversals() -> list[Reversal]:
    """Return what was decided and taken back."""
    return [Reversal(**row) for row in rows("reversals")]


def small_talk() -> Talk:
    """Return what is said around all this."""
    told = json.loads((FOLDER / "small_talk.json").read_text("utf-8"))
    return Talk(tuple(told["asked"]), tuple(told["answered"]))


def statements() -> list[str]:
    """Return every sentence that may be needed later."""
    return [
        *(fact.said for fact in (*facts(), *commitments())),
        *(sentence for one in reversals() for sentence in (one.decided, one.reversed)),
    ]


def rows(name: str) -> Iterator[dict[str, Any]]:
    """Yield the rows of a file of material."""
    return map(json.loads, (FOLDER / f"{name}.jsonl").read_text("utf-8").splitlines())


def filled(template: str, chance: Random) -> str:
    """Return a sentence with figures in it."""
    return template.format(
        a=chance.randint(20, 900), b=chance.randint(1_000, 9_000) / 10, c=chance.randint(2, 19), y=2025
    )


def has_words(text: str, words: str) -> bool:
    """Tell whether a text has these words, whole."""
    return re.search(rf"(?<!\w){re.escape(words)}(?!\w)", text) is not None
