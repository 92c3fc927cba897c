"""What a web service can do, one operation at a time."""

from dataclasses import dataclass
from enum import StrEnum

from tertulia.core.json_object import JsonObject
from tertulia.tools.domain import Effect

#: The argument that holds what is sent as the body.
BODY_ARGUMENT = "body"
#: What only looks, as the web has it.
SAFE_METHODS = ("GET", "HEAD")


class Auth(StrEnum):
    """Where a service wants its secret."""

    NONE = "none"
    BEARER = "bearer"
    HEADER = "header"
    QUERY = "query"


class ParameterLocation(StrEnum):
    """Where an argument goes."""

    PATH = "path"
    QUERY = "query"
    HEADER = "header"


class BodyEncoding(StrEnum):
    """How a body is written."""

    JSON = "application/json"
    FORM = "application/x-www-form-urlencoded"


@dataclass(frozen=True, slots=True)
class Operation:
    """One thing that a service can do."""

    #: Its operationId, or what stands for one.
    name: str
    method: str
    path: str
    description: str
    #: Its arguments: those of the address by their names, and the body as `body`.
    parameters: JsonObject
    #: Which argument goes where; what is not here is the body.
    places: dict[str, ParameterLocation]
    sent: BodyEncoding = BodyEncoding.JSON
    #: Why it cannot be used.
    problem: str = ""

    @property
    def effect(self) -> Effect:
        """Whether it only looks."""
        return Effect.READ if self.method in SAFE_METHODS else Effect.SIDE
