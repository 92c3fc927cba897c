"""Whatever somebody writes, wherever: it is kept as it stands or refused with a reason; nothing breaks."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

import httpx2
import pytest
from tests.accounts_door import quick_hashes
from tests.effort import SOAK_FACTOR
from tests.scripted_provider import Script, ScriptedProvider
from tests.world import Json, Person, World

TEXTS = {
    "sql": "'; DROP TABLE messages; --",
    "sql in quotes": '" OR ""=" \') UNION SELECT password_hash FROM users; /*',
    "quotes": "\"'`\u00b4\u2019\u201c\\",
    "like": "100%_\\%_",
    "full text": 'NEAR("a" b, 5) OR c* AND NOT title:^d -e + {f g}: (h',
    "template": "{0} {lane} ${x} %s %(y)s {{z}}",
    "markup": "<script>alert(1)</script>\u2028\u2029\x85[a](javascript:b)",
    "right to left": "\u202eabc\u202c\u200f\u2066def\u2069\u200b\ufeffend",
    "scripts": "Ärger İstanbul ΣΊΣΥΦΟΣ ﬁ e\u0301 日本語 👩‍👩‍👧‍👦",
    "controls": "a\x01\x08\x1b[31m\x7fb",
    "like an id": "cnv_01ARZ3NDEKTSV4RRFFQ69G5FAV",
}
#: What can be neither stored nor sent: always refused where it would be kept.
UNWRITABLE = ["a\x00b", "\ud800", "x\udfff"]
LONG = "x" * 1_000_001
NOT_TEXT: list[Any] = [None, True, -1, 10**30, 1e308, [], [[[["x"]]]], {}, {"a": {"b": {}}}]
BROKEN_BODIES = [
    b"",
    b"{",
    b"nonsense",
    b"\xff\xfe\x00",
    b'{"message": "\xff"}',
    b"\xef\xbb\xbf{}",
    b"[" * 100_000,
    b'{"a":' * 50_000,
    b'{"message": ' + b"9" * 10_000 + b"}",
    b"NaN",
    b"-Infinity",
    b'"text"',
    b"null",
    b'{"\\ud800": 1}',
    b'{"message": "a", "message": 1, "__proto__": {}}',
]
HEADERS = [
    b"",
    b"'; DROP TABLE events; --",
    b"%00",
    b"-1",
    b"1e5",
    b"9" * 5000,
    b"\xff\xfe",
    b"\xb2",
    b"a" * 60_000,
]
#: Left out of the sweeps: it would take the token that they are made with.
SPARED = {("POST", "/api/sessions/revoke-all")}
#: The sweeps are thousands of requests: but for a soak, every place gets one in so many values, in turn.
SWEEP_STRIDE = 4 if SOAK_FACTOR == 1 else 1


@dataclass(frozen=True)
class Operation:
    """One route, with a body that it takes."""

    method: str
    path: str
    body: Any
    query: tuple[str, ...]


def operations(api: Json) -> Iterator[Operation]:
    """Yield every route of the API but the endless streams."""
    for path, methods in api["paths"].items():
        for method, told in methods.items():
            streams = "text/event-stream" in told["responses"].get("200", {}).get("content", {})
            if not streams and (method.upper(), path) not in SPARED:
                content = told.get("requestBody", {}).get("content", {}).get("application/json")
                body = example(content["schema"], api) if content else None
                query = tuple(one["name"] for one in told.get("parameters", []) if one["in"] == "query")
                yield Operation(method.upper(), path, body, query)


def example(schema: Json, api: Json) -> Any:
    """Return a value that a schema takes, with everything in it that may be there."""
    if "$ref" in schema:
        return example(api["components"]["schemas"][schema["$ref"].rsplit("/", 1)[1]], api)
    for choice in schema.get("anyOf", []):
        return example(choice, api)
    if "enum" in schema or "const" in schema:
        return schema.get("const", schema.get("enum", [None])[0])
    if schema.get("type") == "object":
        return {name: example(one, api) for name, one in schema.get("properties", {}).items()}
    if schema.get("type") == "array":
        return [example(schema["items"], api)]
    return {"string": "scripted-fast", "integer": 1, "number": 1.0, "boolean": False}.get(
        schema.get("type", "")
    )


def with_each_place_filled(body: Any, value: Any) -> Iterator[Any]:
    """Yield a body once for every place in it, with the value there."""
    if isinstance(body, dict):
        for name, inner in body.items():
            yield from ({**body, name: changed} for changed in with_each_place_filled(inner, value))
    elif isinstance(body, list):
        yield from ([changed] for one in body for changed in with_each_place_filled(one, value))
    yield value


def sweep(body: Any, values: Sequence[Any]) -> Iterator[Any]:
    """Yield a body with the values in each of its places; every place and every value has its turn."""
    for turn, value in enumerate(values):
        bodies = list(with_each_place_filled(body, value))
        stride = min(SWEEP_STRIDE, len(bodies))
        yield from (changed for place, changed in enumerate(bodies) if (turn + place) % stride == 0)


async def broken_by(person: Person, method: str, path: str, body: Any) -> list[str]:
    """Send a body and return what broke."""
    # Written by hand, because a client would refuse to encode what an attacker sends.
    answer = await person.client.request(
        method, path, content=json.dumps(body).encode(), headers={"content-type": "application/json"}
    )
    return complaints(answer, f"{method} {path} {str(body)[:200]!r}")


def complaints(answer: httpx2.Response, what: str) -> list[str]:
    """Return what is wrong with an answer: it broke, or it refuses without saying why."""
    if answer.status_code >= 500:
        return [f"{what}: {answer.status_code}"]
    if answer.status_code >= 400 and not answer.json()["error"]["message"]:
        return [f"{what}: {answer.status_code} without a reason"]
    return []


@pytest.fixture
async def intact(world: World, ada: Person, monkeypatch: pytest.MonkeyPatch) -> Person:
    """Ada, who has said something that must still be there afterwards."""
    quick_hashes(monkeypatch)
    await ada.ask("Keep this")
    return ada


async def is_kept(person: Person) -> bool:
    """Tell whether what Ada said is still there."""
    listed = (await person.get("/api/conversations?limit=200")).json()["conversations"]
    pages = [(await person.get(f"/api/conversations/{one['id']}/messages")).json() for one in listed]
    return any(message["content"] == "Keep this" for page in pages for message in page["messages"])


async def test_no_text_in_any_body_breaks_a_route(intact: Person) -> None:
    api = (await intact.get("/openapi.json")).json()
    found: list[str] = []
    for operation in operations(api):
        for body in sweep(operation.body, [*TEXTS.values(), *UNWRITABLE]) if operation.body else ():
            found += await broken_by(intact, operation.method, operation.path, body)
    assert found == []
    assert await is_kept(intact)


async def test_no_wrong_type_in_any_body_breaks_a_route(intact: Person) -> None:
    api = (await intact.get("/openapi.json")).json()
    found: list[str] = []
    for operation in operations(api):
        for body in sweep(operation.body, NOT_TEXT) if operation.body else ():
            found += await broken_by(intact, operation.method, operation.path, body)
    assert found == []
    assert await is_kept(intact)


async def test_no_unknown_field_however_long_breaks_a_route(intact: Person) -> None:
    api = (await intact.get("/openapi.json")).json()
    found: list[str] = []
    for operation in operations(api):
        if operation.body:
            found += await broken_by(intact, operation.method, operation.path, {"unheard of": LONG})
    assert found == []


async def test_no_text_in_any_address_breaks_a_route(intact: Person) -> None:
    api = (await intact.get("/openapi.json")).json()
    found: list[str] = []
    for operation in operations(api):
        for value in [*TEXTS.values(), "\x00", "9" * 400, "x" * 5000, "../../etc/passwd"]:
            path = operation.path
            for name in [part[1:-1] for part in path.split("/") if part.startswith("{")]:
                path = path.replace(f"{{{name}}}", quote(value, safe=""))
            if path != operation.path:
                found += await broken_by(intact, operation.method, path, operation.body)
            for name in operation.query if operation.method == "GET" else ():
                address = f"{operation.path.replace('{', '').replace('}', '')}?{name}={quote(value, safe='')}"
                found += complaints(await intact.get(address), address[:200])
    assert found == []
    assert await is_kept(intact)


async def test_a_body_that_is_no_json_is_refused_with_a_reason(intact: Person) -> None:
    api = (await intact.get("/openapi.json")).json()
    found: list[str] = []
    for operation in operations(api):
        for body in BROKEN_BODIES if operation.body else ():
            for kind in ("application/json", "text/plain"):
                answer = await intact.client.request(
                    operation.method, operation.path, content=body, headers={"content-type": kind}
                )
                found += complaints(answer, f"{operation.method} {operation.path} {body[:40]!r}")
    assert found == []


@pytest.mark.parametrize("name", ["Last-Event-ID", "Idempotency-Key", "X-Api-Key", "Cookie", "Content-Type"])
async def test_no_header_breaks_a_route(intact: Person, name: str) -> None:
    turn = await intact.start("Hello")
    stream = f"/api/conversations/{turn['conversation']['id']}/events"
    for value in HEADERS:
        headers = [(name.encode(), value)]
        posted = await intact.client.post("/api/turn", content=b'{"message": "Hello"}', headers=headers)
        assert complaints(posted, f"{name}: {value[:40]!r}") == []
        async with intact.client.stream("GET", stream, headers=headers) as followed:
            assert followed.status_code < 500


def on_one_line(text: str) -> str:
    """Return a text as it can be a name."""
    return "".join(text.splitlines())


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS.keys())
async def test_text_is_kept_as_it_was_written(ada: Person, provider: ScriptedProvider, text: str) -> None:
    provider.script("scripted-fast", Script(reply=[text]))
    name = on_one_line(text)
    turn = await ada.start(text, idempotency_key=name)
    round_ = await ada.finished(turn)
    path = f"/api/conversations/{turn['conversation']['id']}"
    changed = (await ada.put(path, {"title": name, "instructions": text})).json()
    project = (await ada.post("/api/projects", {"name": name, "brief": text})).json()
    preset = (await ada.post("/api/presets", {"name": name, "models": [name]})).json()
    me = (await ada.client.patch("/api/me", json={"name": name})).json()

    assert (round_["question"]["content"], round_["replies"][0]["content"]) == (text, text)
    assert (changed["title"], changed["instructions"]) == (name, text)
    assert (project["name"], project["brief"]) == (name, text)
    assert (preset["name"], preset["models"], me["user"]["name"]) == (name, [name], name)
    exported = (await ada.post(f"{path}/export")).json()
    assert (exported["title"], exported["rounds"][0]["question"]["content"]) == (name, text)
    assert text in str(provider.requests("scripted-fast")[0].body) or "\\" in repr(text)


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS.keys())
async def test_a_search_finds_exactly_what_holds_the_text(ada: Person, text: str) -> None:
    text = on_one_line(text)
    for title in ("something else", f"before {text} after", text.upper()):
        assert (await ada.post("/api/conversations", {"title": title})).status_code == 201

    found = (await ada.get("/api/conversations", params={"search": text})).json()["conversations"]
    wanted = {title for title in (f"before {text} after", text.upper()) if text.lower() in title.lower()}
    assert {one["title"] for one in found} == wanted


async def test_a_message_of_a_megabyte_is_kept_and_a_longer_one_refused(
    ada: Person, provider: ScriptedProvider
) -> None:
    provider.script("scripted-fast", Script(reply="I see."))
    turn = await ada.start(LONG[:-1])
    page = (await ada.get(f"/api/conversations/{turn['conversation']['id']}")).json()
    refused = await ada.post("/api/turn", {"message": LONG, "models": ["scripted-fast"]})

    assert page["rounds"][0]["question"]["content"] == LONG[:-1]
    assert refused.status_code == 422
    assert "message" in refused.json()["error"]["message"]


@pytest.mark.parametrize("text", UNWRITABLE)
async def test_what_cannot_be_written_is_refused_by_name(ada: Person, text: str) -> None:
    for path, body in (
        ("/api/turn", {"message": text}),
        ("/api/projects", {"name": "x", "brief": text}),
        ("/api/conversations", {"title": text}),
        ("/api/presets", {"name": "x", "models": [text]}),
        ("/api/tokens", {"name": text}),
    ):
        answer = await ada.client.post(
            path, content=json.dumps(body).encode(), headers={"content-type": "application/json"}
        )
        assert answer.status_code == 422
        assert list(body)[-1] in answer.json()["error"]["param"]
