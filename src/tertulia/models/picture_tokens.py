"""What a picture costs, by the rules that makers publish and by what their models report."""

import re
from dataclasses import dataclass
from functools import lru_cache
from math import ceil

from tertulia.models.calls import Image
from tertulia.models.picture_size import Size, size_of

#: What a picture costs where no rule is known, or its size is not.
USUAL = 1_600


@dataclass(frozen=True, slots=True)
class Flat:
    """Every picture costs the same."""

    tokens: int = USUAL

    def of(self, _size: Size) -> int:
        """Return the cost of any picture."""
        return self.tokens


@dataclass(frozen=True, slots=True)
class Patches:
    """Each square of `side` pixels costs `tokens`; a picture of more than `most` squares is made smaller."""

    side: int = 32
    most: int = 1_000_000
    tokens: float = 1.0

    def of(self, size: Size) -> int:
        """Return the cost of a picture."""
        squares = ceil(size.width / self.side) * ceil(size.height / self.side)
        return ceil(min(squares, self.most) * self.tokens)


@dataclass(frozen=True, slots=True)
class Tiles:
    """A picture is made to fit 2,048 pixels, its shorter side 768, and cut into tiles of 512."""

    base: int
    tile: int

    def of(self, size: Size) -> int:
        """Return the cost of a picture."""
        scale = min(1.0, 2_048 / max(size), 768 / min(size))
        across, down = (ceil(round(side * scale, 6) / 512) for side in size)
        return self.base + self.tile * across * down


Rule = Flat | Patches | Tiles
RULES: tuple[tuple[str, Rule], ...] = (
    (r"claude.*(opus-4-[7-9]|(opus|sonnet|haiku|fable)-[5-9])", Patches(28, 4_784)),
    (r"claude", Patches(28, 1_568)),
    (r"gemini", Flat(1_120)),
    (r"gemma", Flat(256)),
    (r"gpt-4o-mini", Tiles(2_833, 5_667)),
    (r"gpt-(4\.1|5)-mini", Patches(32, 1_536, 1.62)),
    (r"gpt-(4\.1|5)-nano", Patches(32, 1_536, 2.46)),
    (r"(^|[/:])o4-mini", Patches(32, 1_536, 1.72)),
    (r"(^|[/:])o[1-9]($|-)", Tiles(75, 150)),
    (r"gpt-4|chatgpt-4", Tiles(85, 170)),
    (r"gpt-5(\.[0-3])?($|-)", Tiles(70, 140)),
    (r"gpt-5\.[45]", Patches(32, 10_000, 1.2)),
    (r"gpt-(5\.|[6-9]|\d\d)", Patches(32, tokens=1.2)),
)
COMPILED = tuple((re.compile(pattern), rule) for pattern, rule in RULES)


def picture_tokens(image: Image, model_name: str) -> int:
    """Return what showing a picture to a model costs."""
    size = size_of(image.data)
    rule = rule_for(model_name)
    if size is None or min(size) < 1:
        return rule.tokens if isinstance(rule, Flat) else USUAL
    return rule.of(size)


@lru_cache(4096)
def rule_for(model_name: str) -> Rule:
    """Return how a model's pictures are counted, by its name."""
    lowered = model_name.lower()
    return next((rule for pattern, rule in COMPILED if pattern.search(lowered)), Flat())
