"""The HTTP door of models, connections and presets: who may do what, and what is never said."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from tests.models_world import CANARY, ModelsWorld, client_of
from tests.scripted_provider import ScriptedProvider

from tertulia.models.service import Models

DEAD = "http://127.0.0.1:9/v1"


@pytest.fixture
def server() -> Iterator[ScriptedProvider]:
    with ScriptedProvider.running() as running:
        yield running


@pytest.fixture
def world(tmp_path: Path, server: ScriptedProvider) -> ModelsWorld:
    return ModelsWorld(tmp_path, {"OPENAI_API_KEY": CANARY, "OPENAI_BASE_URL": server.openai_url})


@pytest.fixture
async def models(world: ModelsWorld) -> AsyncGenerator[Models]:
    async with world.running() as running:
        yield running


def connection(**changes: Any) -> dict[str, Any]:
    return {"kind": "openai-compatible", "slug": "house", "base_url": DEAD, "key": CANARY, **changes}


async def added(models: Models, who: str = "ann@w1:owner", **changes: Any) -> str:
    answer = await client_of(models, who).post("/api/connections", json=connection(**changes))
    assert answer.status_code == 201, answer.text
    return answer.json()["id"]


async def test_models_are_listed_with_what_is_known_of_them(models: Models) -> None:
    body = (await client_of(models, "vic@w1:viewer").get("/api/models")).json()
    assert body["problems"] == []
    librarian = next(model for model in body["models"] if model["id"] == "librarian")
    assert librarian["prices"]["input"] == 0
    assert {"window", "output_limit", "tier", "abilities", "local", "stale"} <= set(librarian)


async def test_metadata_has_the_names_of_the_design(models: Models) -> None:
    client = client_of(models)
    listed = (await client.get("/api/models/metadata")).json()
    refreshed = (await client.post("/api/models/metadata/refresh")).json()
    assert refreshed == listed
    assert set(listed["models"][0]) == {
        "provider", "model_id", "display_name", "context_window", "max_output_tokens", "cost_input",
        "cost_output", "tier", "capabilities",
    }  # fmt: skip
    assert set(listed["models"][0]["capabilities"]) == {"tools", "vision", "streaming", "thinking"}


async def test_a_key_goes_in_and_only_its_tail_is_shown(models: Models) -> None:
    await added(models)
    listed = (await client_of(models).get("/api/connections")).json()["connections"]
    house, openai = listed
    assert (house["slug"], house["has_key"], house["key_tail"]) == ("house", True, CANARY[-4:])
    assert (openai["slug"], openai["source"], openai["has_key"]) == ("openai", "environment", True)
    assert (openai["key_tail"], openai["editable"]) == ("", False)


async def test_no_format_writes_its_key_to_the_log(
    tmp_path: Path, server: ScriptedProvider, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    env = {
        "ANTHROPIC_API_KEY": CANARY,
        "ANTHROPIC_BASE_URL": server.anthropic_url,
        "GEMINI_API_KEY": CANARY,
        "GOOGLE_GEMINI_BASE_URL": server.gemini_url,
        "XAI_API_KEY": CANARY,
        "XAI_BASE_URL": DEAD,
    }
    async with ModelsWorld(tmp_path, env).running() as models:
        body = (await client_of(models).get("/api/models")).text
    assert "scripted-smart" in body
    assert CANARY not in body + caplog.text


async def test_a_canary_key_reaches_no_answer_no_log_and_no_file(
    world: ModelsWorld, models: Models, server: ScriptedProvider, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    client, seen = client_of(models), list[str]()

    async def say(method: str, path: str, body: Any = None) -> httpx2.Response:
        answer = await client.request(method, path, json=body)
        seen.append(answer.text + str(answer.headers))
        return answer

    made = (await say("POST", "/api/connections", connection())).json()["id"]
    await say("POST", "/api/connections", connection())
    for wrong in (
        connection(key=f"{CANARY} with a space"),
        connection(key=[CANARY]),
        connection(key=CANARY * 100),
        connection(kind=CANARY),
        connection(slug=CANARY),
        connection(base_url=f"https://{CANARY}@example.com"),
        {**connection(), CANARY: 1},
    ):
        answer = await say("POST", "/api/connections", wrong)
        assert answer.status_code == 422
        if CANARY in (str(wrong["slug"]), str(wrong["kind"])) or CANARY in wrong:
            seen.pop()  # what was sent as a name or kind is no key, and may be quoted
    await say("POST", f"/api/connections/{made}/test")
    await say("PUT", f"/api/connections/{made}", {"base_url": server.openai_url, "key": CANARY})
    await say("POST", f"/api/connections/{made}/test")
    await say("PUT", f"/api/connections/{made}", {"key": f"{CANARY}\n\t é"})
    for path in ("/api/connections", "/api/models", "/api/models/metadata"):
        await say("GET", path)
    await say("POST", "/api/models/metadata/refresh")
    await say("DELETE", f"/api/connections/{made}")
    assert not [text for text in seen if CANARY in text]
    assert CANARY not in caplog.text
    stored = b"".join(path.read_bytes() for path in world.folder.iterdir() if path.is_file())
    assert CANARY.encode() not in stored


@pytest.mark.sqlite
async def test_a_stored_key_is_sealed_in_the_database(world: ModelsWorld, models: Models) -> None:
    await added(models)
    stored = b"".join(path.read_bytes() for path in world.folder.glob("models.db*"))
    assert b"house" in stored
    assert CANARY.encode() not in stored


async def test_trying_a_connection_says_what_it_lists_or_what_is_wrong(
    models: Models, server: ScriptedProvider
) -> None:
    client = client_of(models)
    good, bad = await added(models, base_url=server.openai_url), await added(models, slug="other")
    tried = (await client.post(f"/api/connections/{good}/test")).json()
    assert tried["ok"]
    assert "scripted-smart" in tried["models"]
    tried = (await client.post(f"/api/connections/{bad}/test")).json()
    assert (tried["ok"], tried["code"], tried["models"]) == (False, "provider_down", [])
    assert "other" in tried["message"]
    tried = (await client.post("/api/connections/env:openai/test")).json()
    assert tried["ok"]


async def test_the_key_must_be_entered_again_when_the_address_changes(
    models: Models, server: ScriptedProvider
) -> None:
    made, client = await added(models), client_of(models)
    moved = await client.put(f"/api/connections/{made}", json={"base_url": server.openai_url})
    assert (moved.status_code, moved.json()["error"]["code"]) == (422, "connection_invalid")
    again = {"base_url": server.openai_url, "key": "another-key-9876"}
    moved = await client.put(f"/api/connections/{made}", json=again)
    assert (moved.status_code, moved.json()["key_tail"]) == (200, "9876")
    cleared = await client.put(f"/api/connections/{made}", json={"key": ""})
    assert (cleared.json()["has_key"], cleared.json()["key_tail"]) == (False, "")


@pytest.mark.parametrize(
    ("who", "personal", "status"),
    [
        ("vic@w1:viewer", True, 403),
        ("vic@w1:viewer", False, 403),
        ("mel@w1:member", True, 201),
        ("mel@w1:member", False, 403),
        ("ada@w1:admin", False, 201),
        ("", False, 401),
    ],
)
async def test_the_workspaces_connections_need_an_admin_and_ones_own_a_member(
    models: Models, who: str, personal: bool, status: int
) -> None:
    answer = await client_of(models, who).post("/api/connections", json=connection(personal=personal))
    assert answer.status_code == status


@pytest.mark.parametrize(
    ("who", "status"),
    [
        ("eve@w2:owner", 404),
        ("ada@w1:admin", 404),
        ("mel@w1:viewer", 403),
    ],
)
async def test_another_persons_connection_is_as_if_it_were_not_there(
    models: Models, who: str, status: int
) -> None:
    made = await added(models, "mel@w1:member", personal=True)
    stranger = client_of(models, who)
    answers = await asyncio.gather(
        stranger.put(f"/api/connections/{made}", json={"key": "x"}),
        stranger.delete(f"/api/connections/{made}"),
        stranger.post(f"/api/connections/{made}/test"),
    )
    assert [answer.status_code for answer in answers] == [status] * 3
    if status == 404:
        listed = (await stranger.get("/api/connections")).json()["connections"]
        assert made not in [one["id"] for one in listed]
    mine = (await client_of(models, "mel@w1:member").get("/api/connections")).json()["connections"]
    assert mine[0]["key_tail"] == CANARY[-4:]


async def test_a_member_sees_the_workspaces_connection_but_does_not_change_it(models: Models) -> None:
    made, member = await added(models), client_of(models, "mel@w1:member")
    listed = (await member.get("/api/connections")).json()["connections"]
    assert (listed[0]["id"], listed[0]["editable"]) == (made, False)
    assert (await member.put(f"/api/connections/{made}", json={"key": "x"})).status_code == 403
    assert (await member.delete(f"/api/connections/{made}")).status_code == 403
    assert (await member.delete("/api/connections/env:openai")).status_code == 404


async def test_a_slug_is_taken_once_in_each_place(models: Models) -> None:
    await added(models)
    await added(models, personal=True)
    await added(models, "eve@w2:owner")
    twice = await client_of(models).post("/api/connections", json=connection())
    assert (twice.status_code, twice.json()["error"]["code"]) == (409, "conflict")


@pytest.mark.parametrize(
    "wrong",
    [
        {"slug": "builtin"},
        {"slug": "a/b"},
        {"slug": "Über"},
        {"base_url": "http://169.254.169.254/latest"},
        {"base_url": "http://example.com"},
        {"base_url": ""},
        {"key": "white space"},
        {"kind": "carrier-pigeon"},
        {"surprise": 1},
    ],
)
async def test_what_cannot_be_used_is_refused(models: Models, wrong: dict[str, Any]) -> None:
    answer = await client_of(models).post("/api/connections", json=connection(**wrong))
    assert answer.status_code == 422


async def test_a_connection_of_a_known_kind_needs_only_a_key(models: Models) -> None:
    answer = await client_of(models).post("/api/connections", json={"kind": "anthropic", "key": CANARY})
    assert (answer.json()["slug"], answer.json()["base_url"]) == ("anthropic", "https://api.anthropic.com")


def preset(**changes: Any) -> dict[str, Any]:
    return {"name": "Round table", "models": ["gpt-5", "librarian", "gpt-5"], "merge_model": None, **changes}


async def test_a_preset_is_kept_changed_and_removed(models: Models) -> None:
    client = client_of(models, "mel@w1:member")
    made = (await client.post("/api/presets", json=preset())).json()
    assert made["models"] == ["gpt-5", "librarian", "gpt-5"]
    changed = preset(name="Two", models=["a", "b"], merge_model="c")
    answer = (await client.put(f"/api/presets/{made['id']}", json=changed)).json()
    assert (answer["name"], answer["merge_model"]) == ("Two", "c")
    assert (await client_of(models).get("/api/presets")).json()["presets"] == [answer]
    assert (await client.delete(f"/api/presets/{made['id']}")).status_code == 204
    assert (await client.get("/api/presets")).json()["presets"] == []


async def test_a_preset_knows_how_long_each_model_should_think(models: Models) -> None:
    client = client_of(models)
    made = (await client.post("/api/presets", json=preset())).json()
    assert made["efforts"] == []
    for efforts in (["high", None, "low"], []):
        await client.put(f"/api/presets/{made['id']}", json=preset(efforts=efforts))
        [kept] = (await client.get("/api/presets")).json()["presets"]
        assert kept["efforts"] == efforts


async def test_a_presets_name_is_unique_in_its_workspace(models: Models) -> None:
    client = client_of(models)
    await client.post("/api/presets", json=preset())
    other = (await client.post("/api/presets", json=preset(name="Other"))).json()
    assert (await client.post("/api/presets", json=preset(name=" Round table "))).status_code == 409
    assert (await client.put(f"/api/presets/{other['id']}", json=preset())).status_code == 409
    assert (await client.put(f"/api/presets/{other['id']}", json=preset(name="Other"))).status_code == 200
    assert (await client_of(models, "eve@w2").post("/api/presets", json=preset())).status_code == 201


async def test_viewers_only_read_presets_and_strangers_find_none(models: Models) -> None:
    made = (await client_of(models).post("/api/presets", json=preset())).json()["id"]
    for who, status in (("vic@w1:viewer", 403), ("eve@w2:owner", 404), ("", 401)):
        client = client_of(models, who)
        assert (await client.put(f"/api/presets/{made}", json=preset())).status_code == status
        assert (await client.delete(f"/api/presets/{made}")).status_code == status
    assert (await client_of(models, "vic@w1:viewer").post("/api/presets", json=preset())).status_code == 403
    assert len((await client_of(models, "vic@w1:viewer").get("/api/presets")).json()["presets"]) == 1
    assert (await client_of(models, "eve@w2:owner").get("/api/presets")).json()["presets"] == []


@pytest.mark.parametrize(
    "wrong",
    [
        {"models": []},
        {"models": ["m"] * 1_001},
        {"models": [""]},
        {"name": " "},
        {"name": "n" * 101},
        {"merge_model": ""},
        {"efforts": ["high"]},
        {"efforts": ["extreme", None, None]},
    ],
)
async def test_a_preset_has_a_name_and_at_least_one_model(models: Models, wrong: dict[str, Any]) -> None:
    assert (await client_of(models).post("/api/presets", json=preset(**wrong))).status_code == 422
