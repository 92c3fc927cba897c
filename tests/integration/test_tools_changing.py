"""Changing servers and services that were added: all but their names, and no secret goes astray."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from tests.scripted_provider import ScriptedProvider
from tests.tool_servers import NOTES, WebService, add_server, add_service, speaks_mcp, until, web_service
from tests.world import Json, Person, World

from tertulia.tools import grants
from tertulia.tools.domain import ToolCaller
from tertulia.tools.errors import ToolServerChanged

SECRET = "sk-canary-of-the-first-server-1234"


async def change(person: Person, made: Json, **body: Any) -> Json:
    """Change a server or service, and return it as it is then."""
    answer = await person.put(path_of(made), body)
    assert answer.status_code == 200, answer.text
    return answer.json()


async def refused(person: Person, made: Json, **body: Any) -> str:
    """Have a change refused, see that nothing came of it, and return why."""
    kind = path_of(made).rpartition("/")[0]
    before = (await person.get(kind)).text
    answer = await person.put(path_of(made), body)
    assert answer.status_code in (403, 422), answer.text
    assert (await person.get(kind)).text == before
    return answer.json()["error"]["message"]


def path_of(made: Json) -> str:
    return f"/api/{'tool-servers' if made['id'].startswith('tsv') else 'http-tools'}/{made['id']}"


def heard_secret(service: WebService) -> bool:
    return SECRET in str(service.heard)


async def add(person: Person, **body: Any) -> Json:
    made = await person.post("/api/tool-servers", {"slug": "test"} | body)
    assert made.status_code == 201, made.text
    return made.json()


async def test_all_of_a_server_can_be_changed_but_its_name(ada: Person) -> None:
    made = await add(ada, command="uvx", arguments=["-q", "git"], secrets={"TOKEN": SECRET})
    changed = await change(ada, made, arguments=["svn"], secrets={"KEY": "k"}, allowed=["log"], enabled=False)
    expected = made | {"arguments": ["svn"], "secret_names": ["KEY"], "enabled": False, "all_allowed": False}
    assert changed == expected

    moved = await change(ada, made, command="", url="https://tools.example.org/mcp", secrets={})
    assert (moved["transport"], moved["command"], moved["arguments"]) == ("http", "", [])
    assert (moved["url"], moved["secret_names"]) == ("https://tools.example.org/mcp", [])
    back = await change(ada, made, command="uvx", arguments=["git"], url="", enabled=True, all_allowed=True)
    assert back == made | {"arguments": ["git"], "secret_names": []}

    for body in ({"slug": "other"}, {"command": ""}, {"url": "https://a.example.org"}):
        await refused(ada, made, **body)
    await refused(ada, made, command="", url="https://a.example.org", arguments=["-x"])
    log = (await ada.get("/api/audit")).json()["items"]
    assert log[0]["detail"] == {"changed": ["command", "arguments", "url", "enabled", "all_allowed"]}


@pytest.mark.parametrize(
    "body",
    [
        {"url": "https://evil.example.org/mcp"},
        {"url": "https://tools.example.org.evil.example/mcp"},
        {"url": "https://tools.example.org:8443/mcp"},
        {"url": "http://tools.local/mcp"},
        {"url": "https://tools.example.org@evil.example/mcp"},
        {"url": "", "command": "env"},
    ],
)
async def test_the_secrets_of_a_server_are_never_given_to_another(ada: Person, body: Json) -> None:
    made = await add(ada, url="https://tools.example.org/mcp", secrets={"X-Token": SECRET})
    await refused(ada, made, **body)
    assert (await change(ada, made, url="https://TOOLS.example.org/v2"))["secret_names"] == ["X-Token"]


@pytest.mark.parametrize("body", [{"command": "curl"}, {"arguments": ["--to", "evil"]}, {"arguments": []}])
async def test_the_secrets_of_a_command_are_never_given_to_another(ada: Person, body: Json) -> None:
    made = await add(ada, command="uvx", arguments=["git"], secrets={"TOKEN": SECRET})
    assert "Enter the secrets again" in await refused(ada, made, **body)
    # One variable may say where another is sent, so none is kept beside a new one.
    assert (await change(ada, made, secrets={"API_URL": "https://evil"}))["secret_names"] == ["API_URL"]


async def test_a_server_that_moves_is_met_anew_without_the_old_secrets(ada: Person) -> None:
    async with web_service() as old, web_service() as new:
        old.answers = new.answers = speaks_mcp
        made = await add_server(ada, old.url, secrets={"X-Token": SECRET})
        assert (made["status"], [one["name"] for one in made["tools"]]) == ("up", ["look"])
        await refused(ada, made, url=new.url)

        moved = await change(ada, made, url=new.url, secrets={"X-Other": "fresh"})
        assert (moved["status"], moved["tools"], moved["listed_at"]) == ("unknown", [], None)

        async def let_go() -> bool:
            return old.heard[-1].method == "DELETE"

        await until(let_go)
        count = len(old.heard)
        assert (await ada.post(f"{path_of(made)}/check")).json()["status"] == "up"
        assert new.heard[0].headers["x-other"] == "fresh"
        assert heard_secret(old)
        assert not heard_secret(new)
        assert len(old.heard) == count


async def test_a_reply_that_goes_on_reaches_a_changed_server_no_more(ada: Person, world: World) -> None:
    async with web_service() as old, web_service() as new:
        old.answers = new.answers = speaks_mcp
        made = await add_server(ada, old.url, secrets={"X-Token": SECRET})
        caller = ToolCaller(ada.principal, None, "", model_is_local=False)
        (tool,) = await world.server.parts.workspace_tools.choose_tools(caller, [])
        assert "seen" in (await tool.run({}, caller)).text

        await change(ada, made, url=new.url, secrets={})
        with pytest.raises(ToolServerChanged):
            await tool.run({}, caller)
        assert new.heard == []


async def test_a_server_that_is_switched_off_is_let_go(ada: Person) -> None:
    async with web_service() as service:
        service.answers = speaks_mcp
        made = await add_server(ada, service.url)
        await change(ada, made, allowed=["look"])
        assert (await ada.get("/api/tool-servers")).json()["servers"][0]["status"] == "up"
        await change(ada, made, enabled=False)

        async def let_go() -> bool:
            return service.heard[-1].method == "DELETE"

        await until(let_go)


async def test_what_a_server_listed_is_not_kept_for_the_one_it_has_become(ada: Person) -> None:
    async with web_service() as old, web_service() as new:
        old.answers, old.silence = speaks_mcp, 0.2
        made = await add(ada, url=old.url)
        checking = asyncio.create_task(ada.post(f"{path_of(made)}/check"))

        async def is_asked() -> bool:
            return "tools/list" in str(old.heard)

        await until(is_asked)
        await change(ada, made, url=new.url)
        assert (await checking).status_code in (409, 502)
        assert (await ada.get("/api/tool-servers")).json()["servers"][0]["tools"] == []


async def test_programs_that_are_off_cannot_be_changed_to_either(
    tmp_path: Path, provider: ScriptedProvider
) -> None:
    async with World.open(tmp_path / "off", provider=provider, TERTULIA_TOOL_PROGRAMS="off") as world:
        ada = await world.person(role="owner")
        made = await add(ada, url="https://tools.example.org/mcp")
        assert "TERTULIA_TOOL_PROGRAMS=on" in await refused(ada, made, url="", command="uvx")


async def test_all_of_a_service_can_be_changed_but_its_name(ada: Person) -> None:
    made = await add_service(ada, "https://notes.example.org", auth="bearer", secret=SECRET)
    keyed = await change(ada, made, auth="header", auth_name="X-Key", secret="another-key-5678")
    assert keyed == made | {"auth": "header", "auth_name": "X-Key", "secret_tail": "5678"}
    moved = await change(ada, made, base_url="https://notes.example.org/v2", enabled=False)
    assert moved == keyed | {"base_url": "https://notes.example.org/v2", "enabled": False}
    free = await change(ada, made, auth="none", base_url="https://else.example.org")
    assert (free["has_secret"], free["secret_tail"]) == (False, "")
    assert "Enter the secret" in await refused(ada, made, auth="bearer")
    for body in ({"slug": "other"}, {"document": "nonsense"}, {"base_url": ""}, {"base_url": "ftp://x"}):
        await refused(ada, made, **body)


async def test_another_document_replaces_the_operations_and_keeps_what_was_ticked(
    ada: Person, world: World
) -> None:
    made = await add_service(ada, "https://notes.example.org", allowed=["list_notes", "add_note"])
    assert (await ada.put("/api/tools/notes__add_note", {"enabled": True, "effect": "read"})).is_success
    assert (await ada.put("/api/tools/notes__list_notes", {"enabled": False})).is_success
    await world.db.write(lambda tx: grants.add(tx, "notes__add_note", None), by=ada.principal)
    other = {
        "openapi": "3.0.0",
        "info": {"title": "More notes"},
        "servers": [{"url": "https://two.example.org"}],
        "paths": {
            "/all": {"delete": {"operationId": "add_note"}, "get": {"operationId": "list_notes"}},
            "/new": {"get": {"operationId": "find_notes"}},
        },
    }
    changed = await change(ada, made, document=json.dumps(other))
    assert (changed["title"], changed["base_url"]) == ("More notes", "https://notes.example.org")
    allowed = {one["name"]: one["allowed"] for one in changed["operations"]}
    assert allowed == {"list_notes": True, "add_note": True, "find_notes": False}

    # What the old operation of that name was trusted with, the new one is not.
    tools = {one["name"]: one for one in (await ada.get("/api/tools")).json()["tools"]}
    assert tools["notes__add_note"]["effect"] == "side"
    assert tools["notes__list_notes"]["enabled"] is False
    assert (await ada.get("/api/tool-grants")).json()["grants"] == []

    bare = await change(ada, made, document=json.dumps(NOTES), allowed=[])
    assert not [one for one in bare["operations"] if one["allowed"]]
    assert (await change(ada, made, document=json.dumps(other), base_url=""))["base_url"].endswith(
        "two.example.org"
    )


@pytest.mark.parametrize(
    "body",
    [
        {"base_url": "https://evil.example.org"},
        {"base_url": "https://notes.example.org:444"},
        {"base_url": "", "document": json.dumps(NOTES | {"servers": [{"url": "https://evil.example.org"}]})},
        {"base_url": "https://evil.example.org", "secret": ""},
        {"auth": "query", "auth_name": "title"},
        {"auth": "header", "auth_name": "X-Published"},
    ],
)
async def test_the_secret_of_a_service_goes_nowhere_it_was_not_entered_for(ada: Person, body: Json) -> None:
    made = await add_service(ada, "https://notes.example.org", auth="bearer", secret=SECRET)
    assert "Enter the secret" in await refused(ada, made, **body)
    # Nor does it by taking it away for a moment.
    await change(ada, made, auth="none")
    assert "Enter the secret" in await refused(ada, made, auth="bearer", base_url="https://evil.example.org")


async def test_a_service_that_moves_is_asked_at_its_new_place_without_the_old_secret(
    ada: Person, world: World
) -> None:
    async with web_service() as old, web_service() as new:
        made = await add_service(ada, old.url, allowed=["list_notes"], auth="bearer", secret=SECRET)
        await change(ada, made, base_url=new.url, secret="fresh-secret")
        caller = ToolCaller(ada.principal, None, "", model_is_local=False)
        (tool,) = await world.server.parts.workspace_tools.choose_tools(caller, [])
        await tool.run({}, caller)
        assert [one.headers["authorization"] for one in new.heard] == ["Bearer fresh-secret"]
        assert old.heard == []


@pytest.mark.parametrize("loss", ["removed", "switched off", "unticked", "new secret"])
async def test_a_reply_that_goes_on_reaches_a_changed_service_no_more(
    ada: Person, world: World, loss: str
) -> None:
    async with web_service() as service:
        made = await add_service(ada, service.url, auth="bearer", secret=SECRET)
        caller = ToolCaller(ada.principal, None, "", model_is_local=False)
        tools = await world.server.parts.workspace_tools.choose_tools(caller, [])
        (tool,) = [tool for tool in tools if tool.name == "notes__list_notes"]
        await tool.run({}, caller)
        assert heard_secret(service)
        heard = len(service.heard)

        match loss:
            case "removed":
                assert (await ada.delete(path_of(made))).is_success
            case "switched off":
                await change(ada, made, enabled=False)
            case "unticked":
                await change(ada, made, allowed=["get_note"])
            case _:
                await change(ada, made, secret="sk-another-secret-of-this-service")
        with pytest.raises(ToolServerChanged):
            await tool.run({}, caller)
        assert len(service.heard) == heard
