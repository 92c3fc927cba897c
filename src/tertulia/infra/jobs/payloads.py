"""What the payload of a job says of the person on whose behalf it is done."""

from tertulia.core.json_object import JsonObject
from tertulia.core.principal import Principal, Role


def payload_by(by: Principal, **values: str | int) -> JsonObject:
    """Return a payload with the person who causes the job."""
    return {**values, "workspace_id": by.workspace_id, "user_id": by.user_id}


def principal_of(payload: JsonObject) -> Principal:
    """Return on whose behalf a job is done."""
    return Principal(payload["user_id"], payload["workspace_id"], Role.MEMBER)
