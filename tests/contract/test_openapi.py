"""The API keeps to its own description, whatever it is sent."""

import asyncio
from collections.abc import Callable, Generator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

import pytest
import schemathesis
from hypothesis import settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)
from tests.effort import HEALTH_CHECKS, effort
from tests.process import ServerProcess
from tests.scripted_provider import ScriptedProvider
from tests.world import environment, free_port

from tertulia.conversations.events import ConversationEvent
from tertulia.server import create_app
from tertulia.settings import Settings

API: dict[str, Any] = create_app(Settings(data_dir=Path("unused"))).openapi()
OPERATIONS = [
    pytest.param(method, path, told, id=f"{method.upper()} {path}")
    for path, methods in API["paths"].items()
    for method, told in methods.items()
]
#: Kept out of the fuzz, each for its reason.
SPARED = {
    "/api/conversations/{conversation_id}/events": "the stream never ends",
    "/api/events": "the stream never ends",
    "/api/sessions/revoke-all": "it revokes the token that the requests carry",
}
#: What is answered as another API describes it: an object or a stream, as the request asks.
FREE_FORM = {"/v1/chat/completions"}
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]

schema = schemathesis.openapi.from_dict(API)
fuzzed = schema
for spared in SPARED:
    fuzzed = fuzzed.exclude(path=spared)
with_any_case: Callable[[Callable[..., None]], Callable[..., None]] = fuzzed.parametrize()


@dataclass(frozen=True)
class Running:
    """A server with an owner in it who has one of most things."""

    url: str
    headers: dict[str, str]
    ids: dict[str, str]
    provider_url: str


async def furnish(server: ServerProcess) -> tuple[str, dict[str, str]]:
    """Start a server, have its owner ask something, and return their token and the ids of what came of it."""
    await server.start()
    owner = await server.person()
    turn = await owner.start("Hello")
    round_ = await owner.finished(turn)
    preset = (await owner.post("/api/presets", {"name": "All", "models": ["scripted-fast"]})).json()
    await owner.client.aclose()
    return owner.token, {
        "conversation_id": turn["conversation"]["id"],
        "project_id": turn["conversation"]["project_id"],
        "round_id": round_["id"],
        "reply_id": round_["replies"][0]["id"],
        "preset_id": preset["id"],
    }


@pytest.fixture(scope="module")
def running(
    shared_provider: ScriptedProvider, tmp_path_factory: pytest.TempPathFactory
) -> Generator[Running]:
    shared_provider.clear()
    data = tmp_path_factory.mktemp("openapi") / "data"
    server = ServerProcess(data, shared_provider, free_port(), environment(data, shared_provider))
    try:
        token, ids = asyncio.run(furnish(server))
        headers = {"Authorization": f"Bearer {token}"}
        yield Running(server.url, headers, ids, shared_provider.openai_url)
    finally:
        server.kill()


@with_any_case
@settings(max_examples=effort(6), suppress_health_check=HEALTH_CHECKS)
def test_every_answer_is_as_described_and_none_is_a_failure_of_ours(
    case: schemathesis.Case[Any], running: Running
) -> None:
    if case.method != "DELETE":  # what is there is read and changed, what is made up is deleted
        case.path_parameters |= {
            name: id_ for name, id_ in running.ids.items() if name in case.path_parameters
        }
    if case.path.startswith("/api/connections") and isinstance(case.body, dict):
        case.body["base_url"] = running.provider_url  # a made-up address would be asked for its models
    case.call_and_validate(base_url=running.url, headers=running.headers, checks=CHECKS)


def test_the_description_is_valid() -> None:
    assert API["openapi"].startswith("3.1")
    schema.validate()


@pytest.mark.parametrize(("method", "path", "told"), OPERATIONS)
def test_every_route_says_what_it_does_and_gives(method: str, path: str, told: dict[str, Any]) -> None:
    assert told["summary"]
    assert told["description"].strip()
    assert len(told["tags"]) == 1
    success = [status for status in told["responses"] if status.startswith("2")]
    assert len(success) == 1
    if success != ["204"] and path not in FREE_FORM:
        content = told["responses"][success[0]]["content"]
        assert all(form["schema"] or form["schema"] == {} for form in content.values())
    assert "4XX" in told["responses"]


def test_no_two_routes_share_a_name() -> None:
    names = [told["operationId"] for methods in API["paths"].values() for told in methods.values()]
    assert len(set(names)) == len(names)


def test_every_kind_of_event_is_described() -> None:
    shapes = API["components"]["schemas"]
    described = {one["$ref"].rsplit("/", 1)[1] for one in shapes["ConversationEvent"]["oneOf"]}

    assert described == {kind.__name__ for kind in get_args(ConversationEvent)}
    assert all("type" in shapes[name]["required"] for name in described)
    for path in ("/api/conversations/{conversation_id}/events", "/api/events"):
        content = API["paths"][path]["get"]["responses"]["200"]["content"]["text/event-stream"]
        assert content["schema"] == {"$ref": "#/components/schemas/ConversationEvent"}


def test_every_reference_leads_somewhere() -> None:
    def references(value: Any) -> set[str]:
        if isinstance(value, dict):
            own = {value["$ref"]} if isinstance(value.get("$ref"), str) else set()
            return own.union(*(references(one) for one in value.values()))
        if isinstance(value, list):
            return set().union(*(references(one) for one in value))
        return set()

    known = {f"#/components/schemas/{name}" for name in API["components"]["schemas"]}
    assert references(API) - known == set()
