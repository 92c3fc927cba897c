"""What a web service can do, one operation at a time."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from tertulia.tools.domain import Effect

#: The argument that holds what is sent as the body.
BODY = "body"
#: What only looks, as the web has it.
LOOKING = ("GET", "HEAD")


class Auth(StrEnum):
    """Where a service wants its secret."""

    NONE = "none"
    BEARER = "bearer"
    HEADER = "header"
    QUERY = "query"


class Where(StrEnum):
    """Where an argument goes."""

    PATH = "path"
    QUERY = "query"
    HEADER = "header"


class Sent(StrEnum):
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
    parameters: dict[str, Any]
    #: Which argument goes where; what is not here is the body.
    places: dict[str, Where]
    sent: Sent = Sent.JSON
    #: Why it cannot be used.
    problem: str = ""

    @property
    def effect(self) -> Effect:
        """Whether it only looks."""
        return Effect.READ if self.method in LOOKING else Effect.SIDE
