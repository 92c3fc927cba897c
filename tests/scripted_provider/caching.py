"""Which part of a prompt a provider has seen before.

OpenAI finds any shared beginning of 1,024 tokens, in steps of 128; Gemini any of
1,024. Anthropic finds only what ended at a cache mark before: at a mark of this
prompt or up to 20 blocks ahead of it.
"""

from collections import deque
from typing import NamedTuple

import numpy as np

from tests.scripted_provider.tokens import Tape

LEAST = 1_024
STEP = 128
LOOKBACK = 20
#: How many prompts of a model are remembered.
REMEMBERED = 32
#: Bytes of a token on a tape.
SIZE = 4


class Found(NamedTuple):
    """Tokens read from the cache, and tokens written to it."""

    cached: int = 0
    written: int = 0


class Caches:
    """What each model was sent, by format and name."""

    def __init__(self) -> None:
        self._seen: dict[tuple[str, str], deque[bytes]] = {}

    def clear(self) -> None:
        """Forget every prompt."""
        self._seen.clear()

    def find(self, wire: str, model: str, tape: Tape) -> Found:
        """Return what of a prompt is known, and remember it."""
        seen = self._seen.setdefault((wire, model), deque(maxlen=REMEMBERED))
        prompt = tape.tokens.tobytes()
        if wire == "anthropic":
            return at_marks(tape, prompt, seen)
        known = max((shared(prompt, one) for one in seen), default=0)
        seen.append(prompt)
        step = STEP if wire == "openai" else 1
        return Found(0 if known < LEAST else LEAST + (known - LEAST) // step * step)


def at_marks(tape: Tape, prompt: bytes, seen: deque[bytes]) -> Found:
    """Return what ends where a mark was written before, and write this prompt's marks."""
    ends = {end for mark in tape.marks for end in [one for one in tape.blocks if one <= mark][-LOOKBACK:]}
    known = [one for one in seen if len(one) // SIZE in ends and prompt.startswith(one)]
    cached = max(map(len, known), default=0) // SIZE
    marks = [mark for mark in tape.marks if mark >= LEAST]
    seen.extend(prompt[: mark * SIZE] for mark in marks if prompt[: mark * SIZE] not in seen)
    return Found(cached, max([0, *(mark - cached for mark in marks)]))


def shared(one: bytes, other: bytes) -> int:
    """Return how many tokens both begin with."""
    length = min(len(one), len(other)) // SIZE
    differ = np.frombuffer(one, np.int32)[:length] != np.frombuffer(other, np.int32)[:length]
    return int(differ.argmax()) if differ.any() else length
