"""The description of the whole API, with the union of events that the streams carry."""

from typing import Any, get_args

import msgspec
from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from tertulia.conversations.events import ConversationEvent

SCHEMA_REF = "#/components/schemas/{name}"
#: Events carry these shapes, which the API describes already.
EVENT_FIELD_SCHEMAS: dict[str, dict[str, Any]] = {
    "round": {"$ref": SCHEMA_REF.format(name="RoundView")},
    "reply": {"$ref": SCHEMA_REF.format(name="ReplyView")},
    "conversation": {"$ref": SCHEMA_REF.format(name="ConversationView")},
    "passages": {"type": "array", "items": {"$ref": SCHEMA_REF.format(name="PassageView")}, "default": []},
}
EVENT_STREAM_PATHS = ("/api/conversations/{conversation_id}/events", "/api/events")


def install_openapi(app: FastAPI) -> None:
    """Make the application describe its event streams too."""

    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            schema = get_openapi(title=app.title, version=app.version, routes=app.routes)
            add_event_schemas(schema)
            app.openapi_schema = schema
        return app.openapi_schema

    app.openapi = openapi


def add_event_schemas(schema: dict[str, Any]) -> None:
    """Add every kind of event, and say which streams carry them."""
    members, components = msgspec.json.schema_components(get_args(ConversationEvent), ref_template=SCHEMA_REF)
    for component in components.values():
        for name, shape in EVENT_FIELD_SCHEMAS.items():
            if name in component.get("properties", {}):
                component["properties"][name] = shape
    tags = {component["properties"]["type"]["enum"][0]: name for name, component in components.items()}
    union = {
        "title": "ConversationEvent",
        "oneOf": list(members),
        "discriminator": {
            "propertyName": "type",
            "mapping": {tag: SCHEMA_REF.format(name=name) for tag, name in tags.items()},
        },
    }
    schema["components"]["schemas"] |= {**components, "ConversationEvent": union}
    for path in EVENT_STREAM_PATHS:
        schema["paths"][path]["get"]["responses"]["200"] = {
            "description": "Server-sent events; the data of all but pings is a ConversationEvent as JSON.",
            "content": {
                "text/event-stream": {"schema": {"$ref": SCHEMA_REF.format(name="ConversationEvent")}}
            },
        }
