"""Where OpenAI may cut a prompt for its cache.

Its own models from GPT-5.6 on find an earlier prompt only at marks. A prompt
may hold many, and only the newest are written, so every message of the stable
part that can hold one gets one: last turn's are then found again.
"""

import re
from collections.abc import Sequence
from typing import cast
from urllib.parse import urlsplit

from tertulia.core.json_object import JsonObject
from tertulia.models.calls import Call, PromptMessage
from tertulia.models.providers.alternating_roles import JOINED_TEXT_SEPARATOR
from tertulia.models.providers.endpoint import Endpoint

FIRST_VERSION_WITH_BREAKPOINTS = (5, 6)
#: OpenAI looks at no more than the newest 80; one is the system prompt's.
OPENAI_BREAKPOINTS_MAX = 79
OPENAI_CACHE_BREAKPOINT = {"prompt_cache_breakpoint": {"mode": "explicit"}}
GPT_VERSION_PATTERN = re.compile(r"^gpt-(\d+)(?:\.(\d+))?")

OpenAIMessage = JsonObject


def is_openai(endpoint: Endpoint) -> bool:
    """Tell whether a server is OpenAI's own: others may refuse what they do not know."""
    host = urlsplit(endpoint.base_url).hostname or ""
    return host == "api.openai.com" or host.endswith(".api.openai.com")


def takes_breakpoints(call: Call, endpoint: Endpoint) -> bool:
    """Tell whether the prompt's cache is cut at marks."""
    found = GPT_VERSION_PATTERN.match(call.model)
    if found is None or not is_openai(endpoint):
        return False
    return (int(found[1]), int(found[2] or 0)) >= FIRST_VERSION_WITH_BREAKPOINTS


def stable_prefix_length(messages: Sequence[PromptMessage]) -> int:
    """Return how many messages are stable and end with one that can hold a mark, which a reply cannot."""
    ends = [place for place, said in enumerate(messages, 1) if said.ends_stable]
    length = ends[-1] if ends else 0
    while length and messages[length - 1].role != "user":
        length -= 1
    # Results of tools must come before anything else that is said with them.
    return 0 if any(said.tool_results for said in messages[length : length + 1]) else length


def add_breakpoints(stable: list[OpenAIMessage], rest: list[OpenAIMessage]) -> list[OpenAIMessage]:
    """Return all messages, with marks on those of the stable part; neighbours at the seam are one message."""
    can_hold = [message for message in stable if message["role"] in ("system", "user") and message["content"]]
    for message in [*can_hold[:1], *can_hold[1:][-OPENAI_BREAKPOINTS_MAX:]]:
        *before, last = parts_of(message)
        message["content"] = [*before, last | OPENAI_CACHE_BREAKPOINT]
    if stable and rest and stable[-1]["role"] == rest[0]["role"] == "user":
        return [*stable[:-1], join_user_messages(stable[-1], rest[0]), *rest[1:]]
    return stable + rest


def join_user_messages(first: OpenAIMessage, second: OpenAIMessage) -> OpenAIMessage:
    """Return two messages of a person as one, so that the mark between them stays."""
    head, *others = parts_of(second) or [{"type": "text", "text": ""}]
    if head["type"] == "text":
        head = head | {"text": JOINED_TEXT_SEPARATOR + head["text"]}
    return first | {"content": [*parts_of(first), head, *others]}


def parts_of(message: OpenAIMessage) -> list[OpenAIMessage]:
    """Return the content of a message in parts, which alone can hold marks."""
    content = message["content"]
    if isinstance(content, str):
        return [{"type": "text", "text": content}] if content else []
    return cast("list[OpenAIMessage]", content)
