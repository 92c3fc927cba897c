"""What we know of model families by the look of a name: tier, abilities and limits.

The first row whose pattern is found in the name counts, so that exceptions
come before the rule. Prices and most windows come from `genai-prices`; a
number here corrects or completes it.
"""

import re
from dataclasses import dataclass
from functools import lru_cache

from tertulia.models.domain import Ability, Tier

TEXT: frozenset[Ability] = frozenset()
TOOLS = frozenset({Ability.TOOLS})
SEES = frozenset({Ability.TOOLS, Ability.VISION})
THINKS = frozenset({Ability.TOOLS, Ability.THINKING})
ALL = frozenset(Ability)
LOOKS = frozenset({Ability.VISION})


@dataclass(frozen=True, slots=True)
class Family:
    """Models that are alike."""

    pattern: str
    tier: Tier
    abilities: frozenset[Ability]
    output_limit: int | None = None
    window: int | None = None
    #: Only its maker serves it: found on a private address, a gateway stands before the cloud.
    cloud: bool = False


def openai(pattern: str, tier: Tier, abilities: frozenset[Ability], output: int, window: int) -> Family:
    """Return a family that OpenAI serves."""
    return Family(rf"(^|/){pattern}", tier, abilities, output, window, cloud=True)


def claude(pattern: str, tier: Tier, abilities: frozenset[Ability], output: int, window: int) -> Family:
    """Return a family that Anthropic serves."""
    return Family(pattern, tier, abilities, output, window, cloud=True)


def gemini(pattern: str, tier: Tier, abilities: frozenset[Ability], output: int) -> Family:
    """Return a family that Google serves."""
    return Family(pattern, tier, abilities, output, 1_048_576, cloud=True)


def grok(pattern: str, tier: Tier, abilities: frozenset[Ability], window: int) -> Family:
    """Return a family that xAI serves."""
    return Family(pattern, tier, abilities, 32_000, window, cloud=True)


FAMILIES = (
    Family(r"gpt-oss-?:?120b", Tier.BALANCED, THINKS, 32_000, 131_072),
    Family(r"gpt-oss", Tier.FAST, THINKS, 32_000, 131_072),
    openai(r"gpt-5\.3", Tier.SMART, ALL, 16_384, 128_000),
    openai(r"gpt-5-chat|gpt-5\.\d-chat|gpt-chat", Tier.SMART, SEES, 16_384, 128_000),
    openai(r"gpt-[5-9].*(nano|luna)", Tier.CHEAP, ALL, 128_000, 400_000),
    openai(r"gpt-[5-9].*(mini|terra)", Tier.BALANCED, ALL, 128_000, 400_000),
    openai(r"gpt-[5-9]", Tier.SMART, ALL, 128_000, 400_000),
    openai(r"gpt-4\.1-nano", Tier.CHEAP, SEES, 32_768, 1_047_576),
    openai(r"gpt-4\.1-mini", Tier.BALANCED, SEES, 32_768, 1_047_576),
    openai(r"gpt-4\.1", Tier.SMART, SEES, 32_768, 1_047_576),
    openai(r"gpt-4o-mini", Tier.BALANCED, SEES, 16_384, 128_000),
    openai(r"(chat)?gpt-4o-2024-05", Tier.SMART, SEES, 4_096, 128_000),
    openai(r"(chat)?gpt-4o", Tier.SMART, SEES, 16_384, 128_000),
    openai(r"gpt-4-(turbo|\d*-?preview)", Tier.SMART, SEES, 4_096, 128_000),
    openai(r"gpt-4", Tier.SMART, TOOLS, 4_096, 8_192),
    openai(r"gpt-3\.5", Tier.FAST, TOOLS, 4_096, 16_385),
    openai(r"o1-(mini|preview)", Tier.BALANCED, frozenset({Ability.THINKING}), 32_768, 128_000),
    openai(r"o3-mini", Tier.BALANCED, THINKS, 100_000, 200_000),
    openai(r"o4-mini", Tier.BALANCED, ALL, 100_000, 200_000),
    openai(r"o[13](-|$)", Tier.SMART, ALL, 100_000, 200_000),
    claude(r"claude-(v?[12]|instant)", Tier.CHEAP, TEXT, 4_096, 100_000),
    claude(r"claude-3-haiku", Tier.CHEAP, SEES, 4_096, 200_000),
    claude(r"claude-(3[-.]5-haiku|haiku-3[-.]5)", Tier.FAST, SEES, 8_192, 200_000),
    claude(r"claude-(3-opus|opus-3)", Tier.SMART, SEES, 4_096, 200_000),
    claude(r"claude-(3[-.]7-sonnet|sonnet-3[-.]7)", Tier.BALANCED, ALL, 64_000, 200_000),
    claude(r"claude-(3[-.]5-sonnet|sonnet-3[-.]5)", Tier.BALANCED, SEES, 8_192, 200_000),
    claude(r"claude-3-sonnet", Tier.BALANCED, SEES, 4_096, 200_000),
    claude(r"claude.*haiku", Tier.FAST, ALL, 64_000, 200_000),
    claude(r"claude-(opus-4|4-opus)(-[01])?($|-2|@)", Tier.SMART, ALL, 32_000, 200_000),
    claude(r"claude", Tier.SMART, ALL, 64_000, 200_000),
    gemini(r"gemini.*flash-lite|gemini.*flash.*8b", Tier.CHEAP, ALL, 65_536),
    gemini(r"gemini-(2\.0|1\.5)-flash|gemini-flash-1\.5", Tier.FAST, SEES, 8_192),
    gemini(r"gemini-1\.5|gemini-pro-1\.5", Tier.BALANCED, SEES, 8_192),
    gemini(r"gemini.*flash", Tier.FAST, ALL, 65_536),
    gemini(r"gemini-(2\.0-)?pro", Tier.SMART, SEES, 8_192),
    gemini(r"gemini", Tier.SMART, ALL, 65_536),
    grok(r"grok-2.*vision", Tier.BALANCED, SEES, 32_768),
    grok(r"grok-2", Tier.BALANCED, TOOLS, 131_072),
    grok(r"grok-3-mini", Tier.FAST, THINKS, 131_072),
    grok(r"grok-3", Tier.SMART, TOOLS, 131_072),
    grok(r"grok.*non-reasoning", Tier.FAST, SEES, 256_000),
    grok(r"grok.*fast", Tier.FAST, ALL, 256_000),
    grok(r"grok", Tier.SMART, ALL, 256_000),
    Family(r"deepseek.*distill", Tier.BALANCED, frozenset({Ability.THINKING})),
    Family(r"deepseek-(reasoner|r1)", Tier.SMART, THINKS, 32_000),
    Family(r"deepseek.*flash", Tier.FAST, THINKS, 32_000),
    Family(r"deepseek-(chat|v\d)", Tier.SMART, THINKS, 8_192),
    Family(r"kimi|moonshot", Tier.SMART, THINKS),
    Family(r"glm-\d.*(air|flash)", Tier.FAST, THINKS),
    Family(r"glm-\d", Tier.SMART, THINKS),
    Family(r"minimax", Tier.SMART, THINKS),
    Family(r"qwen.*(max|plus|235b|480b|397b)", Tier.SMART, THINKS),
    Family(r"qwen.*(turbo|flash)", Tier.FAST, TOOLS),
    Family(r"qwen.*vl", Tier.BALANCED, SEES),
    Family(r"qwq|qwen3", Tier.BALANCED, THINKS),
    Family(r"qwen", Tier.BALANCED, TOOLS),
    Family(r"llama-?4", Tier.BALANCED, SEES),
    Family(r"llama-?3\.2.*(vision|11b|90b)", Tier.BALANCED, LOOKS),
    Family(r"llama-?3\.1.*405b", Tier.SMART, TOOLS),
    Family(r"llama-?3\.[123]", Tier.BALANCED, TOOLS),
    Family(r"llava|moondream|bakllava", Tier.FAST, LOOKS),
    Family(r"(mistral|pixtral)-large", Tier.SMART, SEES),
    Family(r"(mistral|magistral|pixtral|ministral)", Tier.BALANCED, TOOLS),
    Family(r"mixtral|codestral|devstral", Tier.BALANCED, TOOLS),
    Family(r"gemma-?[34]", Tier.BALANCED, LOOKS),
    Family(r"gemma|phi-?\d|smollm|tinyllama", Tier.FAST, TEXT),
    Family(r"command-(r|a)", Tier.BALANCED, TOOLS),
    Family(r"nova-(micro|lite)", Tier.FAST, TOOLS),
    Family(r"nova-", Tier.BALANCED, SEES),
)
COMPILED = tuple((re.compile(family.pattern), family) for family in FAMILIES)
SIZE = re.compile(r"(?:^|[-:_/ ])(\d+(?:\.\d+)?)b(?:$|[-:_ .])")
NOT_FOR_CHAT = re.compile(
    r"embed|whisper|(^|[-_])tts|dall-e|imagen|veo-|sora|moderation|realtime|transcribe|davinci|babbage|rerank|"
    r"(^|[-/])(bge|gte|e5|minilm)|-image(-|$)|image-\d|audio|-live|(^|-)aqa|computer-use|robotics|lyria|"
    r"search-api|grok-.*(voice|imagine)|deep-research|gpt-(live|image)|nano-banana"
)


@lru_cache(4096)
def family_of(name: str) -> Family | None:
    """Return the family a name belongs to."""
    lowered = name.lower()
    return next((family for pattern, family in COMPILED if pattern.search(lowered)), None)


def is_for_chat(name: str) -> bool:
    """Tell whether a listed model answers messages; others make vectors, pictures or sound."""
    return NOT_FOR_CHAT.search(name.lower()) is None


def tier_by_size(name: str) -> Tier | None:
    """Return the tier that the billions of weights in a name suggest."""
    size = SIZE.search(name.lower())
    if size is None:
        return None
    limits = ((4, Tier.CHEAP), (15, Tier.FAST), (100, Tier.BALANCED))
    return next((tier for limit, tier in limits if float(size[1]) <= limit), Tier.SMART)


def tier_of(name: str) -> Tier:
    """Return a model's tier; one we know nothing of is balanced."""
    family = family_of(name)
    if family is not None and family.cloud:
        return family.tier
    return tier_by_size(name) or (family.tier if family else Tier.BALANCED)
