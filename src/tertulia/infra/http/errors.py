"""The one place where an error becomes an HTTP answer.

Every failure has the same body, which OpenAI's clients understand too:
`{"error": {"code", "message", "type", "param", "data"}}`.
"""

import logging
from collections.abc import Mapping, Sequence
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel
from starlette.exceptions import HTTPException

from tertulia.core.errors import Kind, TertuliaError

log = logging.getLogger("tertulia.http")

STATUS = {
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
#: What the framework itself refuses.
CODES = {400: "invalid_request", 404: "not_found", 405: "method_not_allowed"}


class ErrorDetail(BaseModel):
    """What went wrong: a stable code for programs, a sentence for people."""

    code: str
    message: str
    type: str
    param: str | None = None
    data: dict[str, Any] = {}


class ErrorBody(BaseModel):
    """The body of every answer that is not a success."""

    error: ErrorDetail


def answer(status: int, detail: ErrorDetail, *, retry_after: float | None = None) -> JSONResponse:
    """Return an error as JSON, saying when to come back where that is known."""
    headers = {} if retry_after is None else {"Retry-After": str(max(1, round(retry_after)))}
    return JSONResponse({"error": detail.model_dump()}, status_code=status, headers=headers)


def from_error(error: TertuliaError) -> JSONResponse:
    """Answer with one of our own errors."""
    detail = ErrorDetail(code=error.code, message=error.message, type=error.kind, data=error.data)
    return answer(STATUS[error.kind], detail, retry_after=error.retry_after)


def complaint(found: Sequence[Mapping[str, Any]]) -> tuple[str, str]:
    """Return where a request is wrong, and how, in a sentence: of all that was found, the deepest."""
    worst = max(found, key=lambda one: len(one["loc"]))
    if worst["type"] == "json_invalid":
        return "body", "body: it is not valid JSON."
    # A choice between two shapes leaves a word of the validator's own in the place.
    named = [str(part) for part in worst["loc"][1:] if "(" not in str(part)]
    where = ".".join(named) or str(worst["loc"][0])
    if worst["type"] == "string_too_long" and (limits := worst.get("ctx")):
        return where, f"The {where} is too long: it may have at most {limits['max_length']:,} characters."
    return where, f"{where}: {worst['msg'].removeprefix('Value error, ')}."


def install(app: FastAPI) -> None:
    """Make every way a request can fail answer in the same shape."""

    @app.exception_handler(TertuliaError)
    async def ours(_: Request, error: TertuliaError) -> JSONResponse:
        return from_error(error)

    @app.exception_handler(RequestValidationError)
    async def malformed(_: Request, error: RequestValidationError) -> JSONResponse:
        where, sentence = complaint(error.errors())
        detail = ErrorDetail(code="invalid_request", message=sentence, type=Kind.INVALID, param=where)
        return answer(422, detail)

    @app.exception_handler(HTTPException)
    async def from_framework(_: Request, error: HTTPException) -> JSONResponse:
        code = CODES.get(error.status_code, "http_error")
        kind = Kind.NOT_FOUND if error.status_code == 404 else Kind.INVALID
        answered = answer(error.status_code, ErrorDetail(code=code, message=f"{error.detail}.", type=kind))
        answered.headers.update(error.headers or {})
        return answered

    @app.exception_handler(Exception)
    async def unforeseen(_: Request, error: Exception) -> JSONResponse:
        log.error("A request failed in a way nobody foresaw.", exc_info=error)
        message = "Something went wrong on the server. It was logged; what you had saved is safe."
        return answer(500, ErrorDetail(code="internal", message=message, type="internal"))
