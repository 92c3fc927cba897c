"""The description of the whole API, with the union of events that the streams carry."""

from typing import get_args

import msgspec
from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from tertulia.conversations.events import ConversationEvent
from tertulia.core.json_object import JsonObject

SCHEMA_REF = "#/components/schemas/{name}"
EVENT_STREAM_PATHS = ("/api/conversations/{conversation_id}/events", "/api/events")


def install_openapi(app: FastAPI) -> None:
    """Make the application describe its event streams too."""

    def openapi() -> JsonObject:
        if app.openapi_schema is None:
            schema = get_openapi(title=app.title, version=app.version, routes=app.routes)
            add_event_schemas(schema)
            app.openapi_schema = schema
        return app.openapi_schema

    app.openapi = openapi


def add_event_schemas(schema: JsonObject) -> None:
    """Add every kind of event, and say which streams carry them."""
    kinds = get_args(ConversationEvent)
    members, components = msgspec.json.schema_components(kinds, ref_template=SCHEMA_REF)
    tags = {components[kind.__name__]["properties"]["type"]["enum"][0]: kind.__name__ for kind in kinds}
    union = {
        "title": "ConversationEvent",
        "oneOf": list(members),
        "discriminator": {
            "propertyName": "type",
            "mapping": {tag: SCHEMA_REF.format(name=name) for tag, name in tags.items()},
        },
    }
    # What events carry the API answers with too, and has described in more detail.
    described = schema["components"]["schemas"]
    schema["components"]["schemas"] = {**components, **described, "ConversationEvent": union}
    for path in EVENT_STREAM_PATHS:
        schema["paths"][path]["get"]["responses"]["200"] = {
            "description": "Server-sent events; the data of all but pings is a ConversationEvent as JSON.",
            "content": {
                "text/event-stream": {"schema": {"$ref": SCHEMA_REF.format(name="ConversationEvent")}}
            },
        }
