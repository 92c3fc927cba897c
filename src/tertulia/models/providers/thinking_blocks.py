"""Thinking that must go back to the model that thought it, and to no other."""

from tertulia.core.json_object import JsonObject
from tertulia.models.calls import PromptMessage
from tertulia.models.providers.endpoint import Endpoint


def tag_thinking_block(block: JsonObject, *, endpoint: Endpoint, model: str) -> JsonObject:
    """Return a block marked with whose it is."""
    return {"connection": endpoint.slug, "model": model, "block": block}


def thinking_blocks_of(message: PromptMessage, *, endpoint: Endpoint, model: str) -> list[JsonObject]:
    """Return the blocks of a message that this very model wrote; another's would be refused."""
    return [
        mark["block"]
        for mark in message.thought
        if mark.get("connection") == endpoint.slug and mark.get("model") == model and mark.get("block")
    ]
