"""Parameters in an address: one that a route does not take is refused, not silently ignored."""

from fastapi import Request
from fastapi.dependencies.models import Dependant
from fastapi.dependencies.utils import get_flat_params
from fastapi.params import Query

from tertulia.core.errors import Invalid


class ParameterUnknown(Invalid):
    """An address carries a parameter that its route does not take."""

    code = "parameter_unknown"

    def __init__(self, name: str, known: list[str]) -> None:
        taken = f"It takes {', '.join(known)}." if known else "It takes none."
        super().__init__(f"This address takes no parameter {name!r}. {taken}", parameter=name, known=known)


def query_parameters_of(dependant: Dependant) -> frozenset[str]:
    """Return the parameters that a route and what it depends on take."""
    return frozenset(
        field.alias for field in get_flat_params(dependant) if isinstance(field.field_info, Query)
    )


def check_query_parameters(request: Request, known: frozenset[str]) -> None:
    """Raise for a parameter that the route does not take; programs' own APIs keep their own rules."""
    if not request.scope["query_string"] or not request.scope["path"].startswith("/api/"):
        return
    for name in request.query_params:
        if name not in known:
            raise ParameterUnknown(name, sorted(known - request.path_params.keys()))
