"""Routes find out once what their endpoints are called with, and read it from each request."""

from collections.abc import Callable, Generator
from typing import Annotated, Any

import httpx2
import pytest
from fastapi import Depends, FastAPI, Form, Query, Request, Response
from pydantic import BaseModel

from tertulia.infra.http import errors
from tertulia.infra.http.routing import Router, add_routes
from tertulia.settings import Settings

router = Router(prefix="/api")
calls: list[str] = []


class Note(BaseModel):
    """A body."""

    text: str


async def _count(request: Request) -> int:
    calls.append(request.url.path)
    return len(calls)


Count = Annotated[int, Depends(_count)]


async def _page(size: Annotated[int, Query(ge=1)], count: Count) -> tuple[int, int]:
    calls.append("page")
    return size, count


@router.post("/notes/{note_id}", status_code=201)
async def write_note(
    note_id: int,
    body: Note,
    page: Annotated[tuple[int, int], Depends(_page)],
    count: Count,
    response: Response,
) -> dict[str, Any]:
    response.headers["X-Note"] = str(note_id)
    return {"text": body.text, "page": page, "count": count}


@router.delete("/notes/{note_id}", status_code=204)
async def delete_note(note_id: int) -> None:
    calls.append(f"deleted {note_id}")


@router.get("/notes/broken", response_model=Note)
async def break_note() -> dict[str, int]:
    return {"text": 1}


async def ask(method: str, path: str, **options: Any) -> httpx2.Response:
    calls.clear()
    app = FastAPI()
    app.state.parts = {Settings: Settings.from_env({"TERTULIA_DATA_DIR": "/nowhere"})}
    errors.install_error_handlers(app)
    add_routes(app, router)
    transport = httpx2.ASGITransport(app=app, raise_app_exceptions=False)
    async with httpx2.AsyncClient(transport=transport, base_url="http://test") as client:
        return await client.request(method, path, **options)


async def test_a_dependency_is_called_once_however_many_want_it() -> None:
    answered = await ask("POST", "/api/notes/7?size=3", json={"text": "Käse"})

    assert answered.status_code == 201
    assert answered.json() == {"text": "Käse", "page": [3, 1], "count": 1}
    assert calls == ["/api/notes/7", "page"]


async def test_headers_that_an_endpoint_adds_are_sent() -> None:
    answered = await ask("POST", "/api/notes/7?size=3", json={"text": "Käse"})

    assert answered.headers["X-Note"] == "7"
    assert answered.headers.get_list("content-length") == [str(len(answered.content))]


async def test_a_dependency_is_not_called_with_wrong_arguments() -> None:
    answered = await ask("POST", "/api/notes/7?size=0", json={"text": "Käse"})

    assert answered.status_code == 422
    assert answered.json()["error"]["param"] == "size"
    assert "page" not in calls


@pytest.mark.parametrize(
    ("path", "body", "param"),
    [
        ("/api/notes/x?size=1", {"text": "Käse"}, "note_id"),
        ("/api/notes/7?size=1", {"text": 1}, "text"),
        ("/api/notes/7", {"text": "Käse"}, "size"),
    ],
)
async def test_what_is_wrong_with_a_request_is_named(path: str, body: Any, param: str) -> None:
    answered = await ask("POST", path, json=body)

    assert answered.status_code == 422
    assert answered.json()["error"]["param"] == param


async def test_an_answer_without_content_has_no_body() -> None:
    answered = await ask("DELETE", "/api/notes/7")

    assert answered.status_code == 204
    assert answered.content == b""
    assert calls == ["deleted 7"]


async def test_an_answer_that_breaks_its_own_description_is_a_failure_of_ours() -> None:
    answered = await ask("GET", "/api/notes/broken")

    assert answered.status_code == 500
    assert answered.json()["error"]["code"] == "internal"


async def _guard() -> None:
    calls.append("guard")


async def test_a_dependency_whose_result_nobody_wants_is_called_all_the_same() -> None:
    guarded = Router(prefix="/api", dependencies=[Depends(_guard)])
    guarded.add_api_route("/guarded", break_note, methods=["GET"], response_model=None)
    router.routes.extend(guarded.routes)
    await ask("GET", "/api/guarded")
    assert calls == ["guard"]


async def test_an_endpoint_may_choose_its_status() -> None:
    async def choose(response: Response) -> None:
        response.status_code = 202

    router.add_api_route("/chosen", choose, methods=["GET"])
    assert (await ask("GET", "/api/chosen")).status_code == 202


def _yielding() -> Generator[int]:
    yield 1


async def _with_yielding(_: Annotated[int, Depends(_yielding)]) -> None: ...


async def _with_form(name: Annotated[str, Form()]) -> None:
    del name


@pytest.mark.parametrize(
    ("endpoint", "options"),
    [
        (lambda: None, {}),
        (_with_yielding, {}),
        (_with_form, {}),
        (break_note, {"response_model": Note, "response_model_exclude": {"text"}}),
    ],
)
def test_what_would_be_ignored_is_refused(endpoint: Callable[..., Any], options: dict[str, Any]) -> None:
    with pytest.raises(TypeError):
        Router().add_api_route("/refused", endpoint, **options)
