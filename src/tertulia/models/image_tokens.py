"""What a picture costs, by the rules that makers publish and by what their models report."""

import re
from dataclasses import dataclass
from functools import lru_cache
from math import ceil

from tertulia.core.image_header import ImageSize, image_size
from tertulia.models.calls import Image

#: What a picture costs where no rule is known, or its size is not.
IMAGE_TOKENS_DEFAULT = 1_600


@dataclass(frozen=True, slots=True)
class FlatImageRule:
    """Every picture costs the same."""

    tokens: int = IMAGE_TOKENS_DEFAULT

    def tokens_for(self, _size: ImageSize) -> int:
        """Return the cost of any picture."""
        return self.tokens


@dataclass(frozen=True, slots=True)
class PatchImageRule:
    """Each square of `side` pixels costs `tokens_per_patch`; a larger picture is made smaller."""

    side: int = 32
    max_patches: int = 1_000_000
    tokens_per_patch: float = 1.0

    def tokens_for(self, size: ImageSize) -> int:
        """Return the cost of a picture."""
        squares = ceil(size.width / self.side) * ceil(size.height / self.side)
        return ceil(min(squares, self.max_patches) * self.tokens_per_patch)


@dataclass(frozen=True, slots=True)
class TileImageRule:
    """A picture is made to fit 2,048 pixels, its shorter side 768, and cut into tiles of 512."""

    base: int
    tile: int

    def tokens_for(self, size: ImageSize) -> int:
        """Return the cost of a picture."""
        scale = min(1.0, 2_048 / max(size), 768 / min(size))
        across, down = (ceil(round(side * scale, 6) / 512) for side in size)
        return self.base + self.tile * across * down


ImageTokenRule = FlatImageRule | PatchImageRule | TileImageRule
IMAGE_TOKEN_RULES: tuple[tuple[str, ImageTokenRule], ...] = (
    (r"claude.*(opus-4-[7-9]|(opus|sonnet|haiku|fable)-[5-9])", PatchImageRule(28, 4_784)),
    (r"claude", PatchImageRule(28, 1_568)),
    (r"gemini", FlatImageRule(1_120)),
    (r"gemma", FlatImageRule(256)),
    (r"gpt-4o-mini", TileImageRule(2_833, 5_667)),
    (r"gpt-(4\.1|5)-mini", PatchImageRule(32, 1_536, 1.62)),
    (r"gpt-(4\.1|5)-nano", PatchImageRule(32, 1_536, 2.46)),
    (r"(^|[/:])o4-mini", PatchImageRule(32, 1_536, 1.72)),
    (r"(^|[/:])o[1-9]($|-)", TileImageRule(75, 150)),
    (r"gpt-4|chatgpt-4", TileImageRule(85, 170)),
    (r"gpt-5(\.[0-3])?($|-)", TileImageRule(70, 140)),
    (r"gpt-5\.[45]", PatchImageRule(32, 10_000, 1.2)),
    (r"gpt-(5\.|[6-9]|\d\d)", PatchImageRule(32, tokens_per_patch=1.2)),
)
IMAGE_TOKEN_RULE_PATTERNS = tuple((re.compile(pattern), rule) for pattern, rule in IMAGE_TOKEN_RULES)


def count_image_tokens(image: Image, model_name: str) -> int:
    """Return what showing a picture to a model costs."""
    size = image_size(image.data)
    rule = image_token_rule(model_name)
    if size is None or min(size) < 1:
        return rule.tokens if isinstance(rule, FlatImageRule) else IMAGE_TOKENS_DEFAULT
    return rule.tokens_for(size)


@lru_cache(4096)
def image_token_rule(model_name: str) -> ImageTokenRule:
    """Return how a model's pictures are counted, by its name."""
    lowered = model_name.lower()
    return next(
        (rule for pattern, rule in IMAGE_TOKEN_RULE_PATTERNS if pattern.search(lowered)), FlatImageRule()
    )
