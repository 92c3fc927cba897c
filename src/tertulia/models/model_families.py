"""What we know of model families by the look of a name: tier, abilities and limits.

The first row whose pattern is found in the name counts, so that exceptions
come before the rule. Prices and most windows come from `genai-prices`; a
number here corrects or completes it.
"""

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from tertulia.models.domain import Ability, Tier

TEXT_ONLY: frozenset[Ability] = frozenset()
WITH_TOOLS = frozenset({Ability.TOOLS})
WITH_TOOLS_AND_VISION = frozenset({Ability.TOOLS, Ability.VISION})
WITH_TOOLS_AND_THINKING = frozenset({Ability.TOOLS, Ability.THINKING})
ALL_ABILITIES = frozenset(Ability)
WITH_VISION = frozenset({Ability.VISION})


class Maker(StrEnum):
    """Who made a model, where their models are to be spoken to in a way of their own."""

    OPENAI = "openai"
    ANTHROPIC = "anthropic"
    GOOGLE = "google"
    XAI = "xai"


@dataclass(frozen=True, slots=True)
class ModelFamily:
    """Models that are alike."""

    pattern: str
    tier: Tier
    abilities: frozenset[Ability]
    output_limit: int | None = None
    context_window: int | None = None
    #: Only its maker serves it: found on a private address, a gateway stands before the cloud.
    is_cloud_only: bool = False
    maker: Maker | None = None


def openai_family(
    pattern: str, tier: Tier, abilities: frozenset[Ability], output: int, window: int
) -> ModelFamily:
    """Return a family that OpenAI serves."""
    return ModelFamily(
        rf"(^|/){pattern}", tier, abilities, output, window, is_cloud_only=True, maker=Maker.OPENAI
    )


def claude_family(
    pattern: str, tier: Tier, abilities: frozenset[Ability], output: int, window: int
) -> ModelFamily:
    """Return a family that Anthropic serves."""
    return ModelFamily(pattern, tier, abilities, output, window, is_cloud_only=True, maker=Maker.ANTHROPIC)


def gemini_family(pattern: str, tier: Tier, abilities: frozenset[Ability], output: int) -> ModelFamily:
    """Return a family that Google serves."""
    return ModelFamily(pattern, tier, abilities, output, 1_048_576, is_cloud_only=True, maker=Maker.GOOGLE)


def grok_family(pattern: str, tier: Tier, abilities: frozenset[Ability], window: int) -> ModelFamily:
    """Return a family that xAI serves."""
    return ModelFamily(pattern, tier, abilities, 32_000, window, is_cloud_only=True, maker=Maker.XAI)


MODEL_FAMILIES = (
    ModelFamily(r"gpt-oss-?:?120b", Tier.BALANCED, WITH_TOOLS_AND_THINKING, 32_000, 131_072),
    ModelFamily(r"gpt-oss", Tier.FAST, WITH_TOOLS_AND_THINKING, 32_000, 131_072),
    openai_family(r"gpt-5\.3", Tier.SMART, ALL_ABILITIES, 16_384, 128_000),
    openai_family(r"gpt-5-chat|gpt-5\.\d-chat|gpt-chat", Tier.SMART, WITH_TOOLS_AND_VISION, 16_384, 128_000),
    openai_family(r"gpt-[5-9].*(nano|luna)", Tier.CHEAP, ALL_ABILITIES, 128_000, 400_000),
    openai_family(r"gpt-[5-9].*(mini|terra)", Tier.BALANCED, ALL_ABILITIES, 128_000, 400_000),
    openai_family(r"gpt-[5-9]", Tier.SMART, ALL_ABILITIES, 128_000, 400_000),
    openai_family(r"gpt-4\.1-nano", Tier.CHEAP, WITH_TOOLS_AND_VISION, 32_768, 1_047_576),
    openai_family(r"gpt-4\.1-mini", Tier.BALANCED, WITH_TOOLS_AND_VISION, 32_768, 1_047_576),
    openai_family(r"gpt-4\.1", Tier.SMART, WITH_TOOLS_AND_VISION, 32_768, 1_047_576),
    openai_family(r"gpt-4o-mini", Tier.BALANCED, WITH_TOOLS_AND_VISION, 16_384, 128_000),
    openai_family(r"(chat)?gpt-4o-2024-05", Tier.SMART, WITH_TOOLS_AND_VISION, 4_096, 128_000),
    openai_family(r"(chat)?gpt-4o", Tier.SMART, WITH_TOOLS_AND_VISION, 16_384, 128_000),
    openai_family(r"gpt-4-(turbo|\d*-?preview)", Tier.SMART, WITH_TOOLS_AND_VISION, 4_096, 128_000),
    openai_family(r"gpt-4", Tier.SMART, WITH_TOOLS, 4_096, 8_192),
    openai_family(r"gpt-3\.5", Tier.FAST, WITH_TOOLS, 4_096, 16_385),
    openai_family(r"o1-(mini|preview)", Tier.BALANCED, frozenset({Ability.THINKING}), 32_768, 128_000),
    openai_family(r"o3-mini", Tier.BALANCED, WITH_TOOLS_AND_THINKING, 100_000, 200_000),
    openai_family(r"o4-mini", Tier.BALANCED, ALL_ABILITIES, 100_000, 200_000),
    openai_family(r"o[13](-|$)", Tier.SMART, ALL_ABILITIES, 100_000, 200_000),
    claude_family(r"claude-(v?[12]|instant)", Tier.CHEAP, TEXT_ONLY, 4_096, 100_000),
    claude_family(r"claude-3-haiku", Tier.CHEAP, WITH_TOOLS_AND_VISION, 4_096, 200_000),
    claude_family(r"claude-(3[-.]5-haiku|haiku-3[-.]5)", Tier.FAST, WITH_TOOLS_AND_VISION, 8_192, 200_000),
    claude_family(r"claude-(3-opus|opus-3)", Tier.SMART, WITH_TOOLS_AND_VISION, 4_096, 200_000),
    claude_family(r"claude-(3[-.]7-sonnet|sonnet-3[-.]7)", Tier.BALANCED, ALL_ABILITIES, 64_000, 200_000),
    claude_family(
        r"claude-(3[-.]5-sonnet|sonnet-3[-.]5)", Tier.BALANCED, WITH_TOOLS_AND_VISION, 8_192, 200_000
    ),
    claude_family(r"claude-3-sonnet", Tier.BALANCED, WITH_TOOLS_AND_VISION, 4_096, 200_000),
    claude_family(r"claude.*haiku", Tier.FAST, ALL_ABILITIES, 64_000, 200_000),
    claude_family(r"claude-(opus-4|4-opus)(-[01])?($|-2|@)", Tier.SMART, ALL_ABILITIES, 32_000, 200_000),
    claude_family(r"claude", Tier.SMART, ALL_ABILITIES, 64_000, 200_000),
    gemini_family(r"gemini.*flash-lite|gemini.*flash.*8b", Tier.CHEAP, ALL_ABILITIES, 65_536),
    gemini_family(r"gemini-(2\.0|1\.5)-flash|gemini-flash-1\.5", Tier.FAST, WITH_TOOLS_AND_VISION, 8_192),
    gemini_family(r"gemini-1\.5|gemini-pro-1\.5", Tier.BALANCED, WITH_TOOLS_AND_VISION, 8_192),
    gemini_family(r"gemini.*flash", Tier.FAST, ALL_ABILITIES, 65_536),
    gemini_family(r"gemini-(2\.0-)?pro", Tier.SMART, WITH_TOOLS_AND_VISION, 8_192),
    gemini_family(r"gemini", Tier.SMART, ALL_ABILITIES, 65_536),
    grok_family(r"grok-2.*vision", Tier.BALANCED, WITH_TOOLS_AND_VISION, 32_768),
    grok_family(r"grok-2", Tier.BALANCED, WITH_TOOLS, 131_072),
    grok_family(r"grok-3-mini", Tier.FAST, WITH_TOOLS_AND_THINKING, 131_072),
    grok_family(r"grok-3", Tier.SMART, WITH_TOOLS, 131_072),
    grok_family(r"grok.*non-reasoning", Tier.FAST, WITH_TOOLS_AND_VISION, 256_000),
    grok_family(r"grok.*fast", Tier.FAST, ALL_ABILITIES, 256_000),
    grok_family(r"grok", Tier.SMART, ALL_ABILITIES, 256_000),
    ModelFamily(r"deepseek.*distill", Tier.BALANCED, frozenset({Ability.THINKING})),
    ModelFamily(r"deepseek-(reasoner|r1)", Tier.SMART, WITH_TOOLS_AND_THINKING, 32_000),
    ModelFamily(r"deepseek.*flash", Tier.FAST, WITH_TOOLS_AND_THINKING, 32_000),
    ModelFamily(r"deepseek-(chat|v\d)", Tier.SMART, WITH_TOOLS_AND_THINKING, 8_192),
    ModelFamily(r"kimi|moonshot", Tier.SMART, WITH_TOOLS_AND_THINKING),
    ModelFamily(r"glm-\d.*(air|flash)", Tier.FAST, WITH_TOOLS_AND_THINKING),
    ModelFamily(r"glm-\d", Tier.SMART, WITH_TOOLS_AND_THINKING),
    ModelFamily(r"minimax", Tier.SMART, WITH_TOOLS_AND_THINKING),
    ModelFamily(r"qwen.*(max|plus|235b|480b|397b)", Tier.SMART, WITH_TOOLS_AND_THINKING),
    ModelFamily(r"qwen.*(turbo|flash)", Tier.FAST, WITH_TOOLS),
    ModelFamily(r"qwen.*vl", Tier.BALANCED, WITH_TOOLS_AND_VISION),
    ModelFamily(r"qwq|qwen3", Tier.BALANCED, WITH_TOOLS_AND_THINKING),
    ModelFamily(r"qwen", Tier.BALANCED, WITH_TOOLS),
    ModelFamily(r"llama-?4", Tier.BALANCED, WITH_TOOLS_AND_VISION),
    ModelFamily(r"llama-?3\.2.*(vision|11b|90b)", Tier.BALANCED, WITH_VISION),
    ModelFamily(r"llama-?3\.1.*405b", Tier.SMART, WITH_TOOLS),
    ModelFamily(r"llama-?3\.[123]", Tier.BALANCED, WITH_TOOLS),
    ModelFamily(r"llava|moondream|bakllava", Tier.FAST, WITH_VISION),
    ModelFamily(r"(mistral|pixtral)-large", Tier.SMART, WITH_TOOLS_AND_VISION),
    ModelFamily(r"(mistral|magistral|pixtral|ministral)", Tier.BALANCED, WITH_TOOLS),
    ModelFamily(r"mixtral|codestral|devstral", Tier.BALANCED, WITH_TOOLS),
    ModelFamily(r"gemma-?[34]", Tier.BALANCED, WITH_VISION),
    ModelFamily(r"gemma|phi-?\d|smollm|tinyllama", Tier.FAST, TEXT_ONLY),
    ModelFamily(r"command-(r|a)", Tier.BALANCED, WITH_TOOLS),
    ModelFamily(r"nova-(micro|lite)", Tier.FAST, WITH_TOOLS),
    ModelFamily(r"nova-", Tier.BALANCED, WITH_TOOLS_AND_VISION),
)
MODEL_FAMILY_PATTERNS = tuple((re.compile(family.pattern), family) for family in MODEL_FAMILIES)
PARAMETER_COUNT_PATTERN = re.compile(r"(?:^|[-:_/ ])(\d+(?:\.\d+)?)b(?:$|[-:_ .])")
NON_CHAT_NAME_PATTERN = re.compile(
    r"embed|whisper|(^|[-_])tts|dall-e|imagen|veo-|sora|moderation|realtime|transcribe|davinci|babbage|rerank|"
    r"(^|[-/])(bge|gte|e5|minilm)|-image(-|$)|image-\d|audio|-live|(^|-)aqa|computer-use|robotics|lyria|"
    r"search-api|grok-.*(voice|imagine)|deep-research|gpt-(live|image)|nano-banana"
)


@lru_cache(4096)
def family_of(name: str) -> ModelFamily | None:
    """Return the family a name belongs to."""
    lowered = name.lower()
    return next((family for pattern, family in MODEL_FAMILY_PATTERNS if pattern.search(lowered)), None)


def is_chat_model(name: str) -> bool:
    """Tell whether a listed model answers messages; others make vectors, pictures or sound."""
    return NON_CHAT_NAME_PATTERN.search(name.lower()) is None


def tier_by_parameter_count(name: str) -> Tier | None:
    """Return the tier that the billions of weights in a name suggest."""
    size = PARAMETER_COUNT_PATTERN.search(name.lower())
    if size is None:
        return None
    limits = ((4, Tier.CHEAP), (15, Tier.FAST), (100, Tier.BALANCED))
    return next((tier for limit, tier in limits if float(size[1]) <= limit), Tier.SMART)


def tier_of(name: str) -> Tier:
    """Return a model's tier; one we know nothing of is balanced."""
    family = family_of(name)
    if family is not None and family.is_cloud_only:
        return family.tier
    return tier_by_parameter_count(name) or (family.tier if family else Tier.BALANCED)
