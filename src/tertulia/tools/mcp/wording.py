"""What servers say, in our words: lists of tools and results. Nothing in it is believed or endless."""

import base64
import binascii
from typing import Any, cast

import msgspec

from tertulia.conversations.attachments import check_picture
from tertulia.core.errors import TertuliaError
from tertulia.models.calls import Image
from tertulia.tools.catalogue import LONGEST_FOREIGN_NAME, Offered, quoted
from tertulia.tools.catalogue_schema import plain_parameters, takes_others
from tertulia.tools.domain import Effect, Result

LONGEST_STORED = 4_000
MOST_PICTURES = 4

Json = dict[str, Any]


def listing_of(said: Json) -> list[Offered]:
    """Return the tools of one page of a list; what cannot be called is left out."""
    found = [as_offered(one) for one in parts_of(said.get("tools"))]
    return [one for one in found if one is not None]


def as_offered(said: Json) -> Offered | None:
    """Return a tool as a server describes it: one that does not promise only to look changes something."""
    name = said.get("name")
    if not isinstance(name, str) or not 0 < len(name) <= LONGEST_FOREIGN_NAME:
        return None
    hints = said.get("annotations")
    only_looks = isinstance(hints, dict) and cast("Json", hints).get("readOnlyHint") is True
    description = str(said.get("description") or said.get("title") or "")[:LONGEST_STORED]
    effect = Effect.READ if only_looks else Effect.SIDE
    schema = said.get("inputSchema")
    return Offered(name, description, plain_parameters(schema), effect, takes_others=takes_others(schema))


def result_of(slug: str, said: Json) -> Result:
    """Return what a call gave, as a quotation."""
    parts = parts_of(said.get("content"))
    pictures = [picture for part in parts if (picture := picture_in(part))][:MOST_PICTURES]
    texts = [text for part in parts if (text := text_of(part))]
    if not texts and (structure := said.get("structuredContent")) is not None:
        texts = [msgspec.json.encode(structure).decode()]
    if pictures:
        texts.append(f"({len(pictures)} pictures, shown to the person)")
    text = quoted(f"the server {slug}", "\n".join(texts) or "(nothing)")
    return Result(text, failed=said.get("isError") is True, pictures=tuple(pictures))


def text_of(part: Json) -> str:
    """Return what can be read of one part of a result."""
    match part.get("type"):
        case "text":
            return str(part.get("text") or "")
        case "resource_link":
            return f"[{part.get('name')}]({part.get('uri')})"
        case "resource":
            held = part.get("resource")
            return str(cast("Json", held).get("text") or "") if isinstance(held, dict) else ""
        case "image":
            return ""
        case _:
            return f"(something of the kind {str(part.get('type'))[:40]!r} that cannot be shown)"


def picture_in(part: Json) -> Image | None:
    """Return the picture that a part holds, if it really is one."""
    data = part.get("data")
    if part.get("type") != "image" or not isinstance(data, str):
        return None
    try:
        return check_picture(base64.b64decode(data, validate=True))
    except (binascii.Error, ValueError, TertuliaError):
        return None


def parts_of(said: object) -> list[Json]:
    """Return the objects of a list; none where it is none."""
    several = cast("list[object]", said) if isinstance(said, list) else []
    return [cast("Json", one) for one in several if isinstance(one, dict)]
