"""The one place where an error becomes an HTTP answer.

Every failure has the same body, which OpenAI's clients understand too:
`{"error": {"code", "message", "type", "param", "data"}}`.
"""

import logging

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.routing import BaseRoute, Match

from tertulia.core.errors import Kind, NotFound, TertuliaError
from tertulia.core.json_object import JsonObject
from tertulia.infra.db.errors import ReferenceBroken
from tertulia.infra.http.validation_messages import describe_validation_errors

log = logging.getLogger("tertulia.http")

STATUS_BY_KIND = {
    Kind.INVALID: 422,
    Kind.NOT_SIGNED_IN: 401,
    Kind.NOT_ALLOWED: 403,
    Kind.NOT_FOUND: 404,
    Kind.CONFLICT: 409,
    Kind.TOO_LARGE: 413,
    Kind.LIMITED: 429,
    Kind.UNPAID: 402,
    Kind.UNAVAILABLE: 503,
    Kind.STORAGE_FULL: 507,
    Kind.UPSTREAM: 502,
}
HTTP_METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
#: What the framework itself refuses.
CODES_BY_STATUS = {400: "invalid_request", 404: "not_found", 405: "method_not_allowed"}


class ErrorDetail(BaseModel):
    """What went wrong: a stable code for programs, a sentence for people."""

    code: str
    message: str
    type: str
    param: str | None = None
    data: JsonObject = {}


class ErrorBody(BaseModel):
    """The body of every answer that is not a success."""

    error: ErrorDetail


def error_response(status: int, detail: ErrorDetail, *, retry_after: float | None = None) -> JSONResponse:
    """Return an error as JSON, saying when to come back where that is known."""
    headers = {} if retry_after is None else {"Retry-After": str(max(1, round(retry_after)))}
    return JSONResponse({"error": detail.model_dump()}, status_code=status, headers=headers)


def response_to_error(error: TertuliaError) -> JSONResponse:
    """Answer with one of our own errors."""
    detail = ErrorDetail(code=error.code, message=error.message, type=error.kind, data=error.data)
    return error_response(STATUS_BY_KIND[error.kind], detail, retry_after=error.retry_after)


def framework_message(request: Request, error: HTTPException) -> str:
    """Say in a sentence what the framework refused."""
    if error.status_code == 404:
        return "There is nothing at this address."
    if error.status_code == 405:
        allowed = " or ".join(allowed_methods(request, error))
        return f"This address does not take {request.method} requests; it takes {allowed}."
    return f"{error.detail}."


def allowed_methods(request: Request, error: HTTPException) -> list[str]:
    """Return the verbs that an address takes, each of which may be a route of its own."""
    routes: list[BaseRoute] = request.app.routes
    scopes = {method: {**request.scope, "method": method} for method in HTTP_METHODS}
    found = [
        method
        for method, scope in scopes.items()
        if any(route.matches(scope)[0] is Match.FULL for route in routes)
    ]
    # A route that refuses its own verb says itself which it takes.
    return (error.headers or {}).get("Allow", "").split(", ") if request.method in found else found


def install_error_handlers(app: FastAPI) -> None:
    """Make every way a request can fail answer in the same shape."""

    @app.exception_handler(TertuliaError)
    async def ours(_: Request, error: TertuliaError) -> JSONResponse:
        return response_to_error(error)

    @app.exception_handler(ReferenceBroken)
    async def deleted_meanwhile(_: Request, error: ReferenceBroken) -> JSONResponse:
        log.warning("A request would have added to what was deleted meanwhile: %s", error)
        message = "Something that this would belong to was deleted meanwhile. Nothing was changed."
        return error_response(404, ErrorDetail(code=NotFound.code, message=message, type=Kind.NOT_FOUND))

    @app.exception_handler(RequestValidationError)
    async def malformed(_: Request, error: RequestValidationError) -> JSONResponse:
        where, sentence = describe_validation_errors(error.errors())
        detail = ErrorDetail(code="invalid_request", message=sentence, type=Kind.INVALID, param=where)
        return error_response(422, detail)

    @app.exception_handler(ClientDisconnect)
    async def gone(_: Request, __: ClientDisconnect) -> JSONResponse:
        detail = ErrorDetail(code=CODES_BY_STATUS[400], message="The request broke off.", type=Kind.INVALID)
        return error_response(400, detail)

    @app.exception_handler(HTTPException)
    async def from_framework(request: Request, error: HTTPException) -> JSONResponse:
        code = CODES_BY_STATUS.get(error.status_code, "http_error")
        kind = Kind.NOT_FOUND if error.status_code == 404 else Kind.INVALID
        message = framework_message(request, error)
        answered = error_response(error.status_code, ErrorDetail(code=code, message=message, type=kind))
        answered.headers.update(error.headers or {})
        if error.status_code == 405:
            answered.headers["Allow"] = ", ".join(allowed_methods(request, error))
        return answered

    @app.exception_handler(Exception)
    async def unforeseen(_: Request, error: Exception) -> JSONResponse:
        log.error("A request failed in a way nobody foresaw.", exc_info=error)
        message = "Something went wrong on the server. It was logged; what you had saved is safe."
        return error_response(500, ErrorDetail(code="internal", message=message, type="internal"))
