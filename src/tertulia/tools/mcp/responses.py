"""What servers say, in our words: lists of tools and results. Nothing in it is believed or endless."""

import base64
import binascii
from typing import cast

import msgspec

from tertulia.conversations.message_pictures import check_picture
from tertulia.core.errors import TertuliaError
from tertulia.core.json_object import JsonObject
from tertulia.models.calls import Image
from tertulia.tools.domain import Effect, ToolOutput
from tertulia.tools.external_tools import EXTERNAL_NAME_MAX_CHARS, OfferedTool, quote_answer
from tertulia.tools.schema_simplifier import accepts_other_arguments, simplify_parameters

STORED_DESCRIPTION_MAX_CHARS = 4_000
MCP_PICTURES_MAX = 4


def parse_tool_list(said: JsonObject) -> list[OfferedTool]:
    """Return the tools of one page of a list; what cannot be called is left out."""
    found = [parse_tool(listed_tool) for listed_tool in object_parts(said.get("tools"))]
    return [tool for tool in found if tool is not None]


def parse_tool(said: JsonObject) -> OfferedTool | None:
    """Return a tool as a server describes it: one that does not promise only to look changes something."""
    name = said.get("name")
    if not isinstance(name, str) or not 0 < len(name) <= EXTERNAL_NAME_MAX_CHARS:
        return None
    hints = said.get("annotations")
    only_looks = isinstance(hints, dict) and cast("JsonObject", hints).get("readOnlyHint") is True
    description = str(said.get("description") or said.get("title") or "")[:STORED_DESCRIPTION_MAX_CHARS]
    effect = Effect.READ if only_looks else Effect.SIDE
    schema = said.get("inputSchema")
    return OfferedTool(
        name, description, simplify_parameters(schema), effect, takes_others=accepts_other_arguments(schema)
    )


def parse_call_result(slug: str, said: JsonObject) -> ToolOutput:
    """Return what a call gave, as a quotation."""
    parts = object_parts(said.get("content"))
    pictures = [picture for part in parts if (picture := picture_of_part(part))][:MCP_PICTURES_MAX]
    texts = [text for part in parts if (text := text_of_part(part))]
    if not texts and (structure := said.get("structuredContent")) is not None:
        texts = [msgspec.json.encode(structure).decode()]
    if pictures:
        texts.append(f"({len(pictures)} pictures, shown to the person)")
    text = quote_answer(f"the server {slug}", "\n".join(texts) or "(nothing)")
    return ToolOutput(text, failed=said.get("isError") is True, pictures=tuple(pictures))


def text_of_part(part: JsonObject) -> str:
    """Return what can be read of one part of a result."""
    match part.get("type"):
        case "text":
            return str(part.get("text") or "")
        case "resource_link":
            return f"[{part.get('name')}]({part.get('uri')})"
        case "resource":
            held = part.get("resource")
            return str(cast("JsonObject", held).get("text") or "") if isinstance(held, dict) else ""
        case "image":
            return ""
        case _:
            return f"(something of the kind {str(part.get('type'))[:40]!r} that cannot be shown)"


def picture_of_part(part: JsonObject) -> Image | None:
    """Return the picture that a part holds, if it really is one."""
    data = part.get("data")
    if part.get("type") != "image" or not isinstance(data, str):
        return None
    try:
        return check_picture(base64.b64decode(data, validate=True))
    except (binascii.Error, ValueError, TertuliaError):
        return None


def object_parts(said: object) -> list[JsonObject]:
    """Return the objects of a list; none where it is none."""
    several = cast("list[object]", said) if isinstance(said, list) else []
    return [cast("JsonObject", item) for item in several if isinstance(item, dict)]
