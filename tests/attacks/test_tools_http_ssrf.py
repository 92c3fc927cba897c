"""Addresses that tools must not reach, in every spelling and by every way."""

import json

import pytest
from tests.tool_servers import NOTES, Heard, web_service
from tests.world import Person

from tertulia.core.principal import Principal, Role
from tertulia.infra.http.outbound import make_client
from tertulia.tools.domain import Effect, ToolCaller
from tertulia.tools.http import client
from tertulia.tools.http.client import HttpRequest, ToolAddressRefused, ToolServerUnreachable, fetch
from tertulia.tools.http.http_tool import HttpService, HttpTool
from tertulia.tools.http.openapi import read_document
from tertulia.tools.http.operations import Auth
from tertulia.tools.mcp.http_transport import HttpTransport

#: Where clouds keep credentials, and other places that no server of tools is at.
TRICKS = [
    "http://169.254.169.254/latest",
    "http://2852039166/",
    "http://0xA9FEA9FE/",
    "http://0251.0376.0251.0376/",
    "http://169.254.43518/",
    "http://[::ffff:169.254.169.254]/",
    "http://[::ffff:a9fe:a9fe]/",
    "http://[fe80::1]/",
    "http://[fd00:ec2::254]/",
    "http://100.100.100.200/",
    "http://metadata.google.internal/",
    "http://METADATA.GOOGLE.INTERNAL./",
    "http://0.0.0.0/",
    "http://[::]/",
    "http://224.0.0.1/",
    "https://user:secret@example.com/",
    "https://example.com\\@169.254.169.254/",
    "file:///etc/passwd",
    "gopher://127.0.0.1/",
    "https://exämple.com/",
    "http://example.com/",
]


async def test_no_trick_is_taken_as_an_address(ada: Person) -> None:
    for url in TRICKS:
        server = await ada.post("/api/tool-servers", {"slug": "x", "url": url})
        service = {"slug": "y", "document": json.dumps(NOTES), "base_url": url}
        for answer in (server, await ada.post("/api/http-tools", service)):
            assert answer.status_code in (400, 422), (url, answer.text)
            assert "secret@" not in answer.text
    assert (await ada.get("/api/tool-servers")).json()["servers"] == []


@pytest.mark.parametrize(
    "location",
    [
        "http://169.254.169.254/latest",
        "http://127.0.0.1:1/",
        "http://localhost:1/",
        "http://2130706433/",
        "http://[::1]/",
        "http://nas.local/",
        "file:///etc/passwd",
        "//169.254.169.254/",
        "http://user:pass@example.com/",
    ],
)
async def test_no_redirect_leads_inside(location: str) -> None:
    async with web_service() as service, make_client() as client:
        service.answers = lambda _: (302, {"location": location}, "")
        with pytest.raises(ToolAddressRefused):
            await fetch(client, HttpRequest("GET", service.url))
        assert len(service.heard) == 1


async def test_redirects_end_and_what_changes_something_follows_none() -> None:
    async with web_service() as service, make_client() as client:
        service.answers = lambda one: (302, {"location": one.target + "x"}, "")
        with pytest.raises(ToolServerUnreachable, match="elsewhere"):
            await fetch(client, HttpRequest("GET", f"{service.url}/a"))
        assert len(service.heard) == 4

        answer, _ = await fetch(client, HttpRequest("POST", f"{service.url}/a"))
        assert answer.status_code == 302
        assert len(service.heard) == 5


def test_a_secret_does_not_follow_to_another_server() -> None:
    question = HttpRequest(
        "GET", "https://a.example.com/x", {"Authorization": "Bearer s", "X-Key": "s", "A": "b"}
    )
    there = client.redirect(question, "https://b.example.com/", ("authorization", "X-Key"))
    here = client.redirect(question, "/y", ("authorization", "X-Key"))

    assert dict(there.headers) == {"A": "b"}
    assert here.headers == question.headers
    assert here.url == "https://a.example.com/y"


async def test_a_tool_server_that_sends_us_elsewhere_is_down() -> None:
    async with web_service() as service, make_client() as client:
        service.answers = lambda _: (307, {"location": "http://169.254.169.254/"}, "")
        wire = HttpTransport(client, service.url, {})
        await wire.open(lambda _: None, lambda _: None)
        with pytest.raises(Exception, match="status 307"):
            await wire.send({"id": 1, "method": "initialize"})
        assert len(service.heard) == 1


async def test_an_endless_answer_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    async with web_service() as service, make_client() as client:
        service.answers = lambda _: (200, {}, "x" * 9_000_000)
        with pytest.raises(ToolServerUnreachable, match="more than 8 MB"):
            await fetch(client, HttpRequest("GET", service.url))


def parrot(one: Heard) -> tuple[int, dict[str, str], str]:
    return 200, {"content-type": "application/json"}, json.dumps(one.headers | {"target": one.target})


@pytest.mark.parametrize(("auth", "name"), [("bearer", ""), ("header", "X-Key"), ("query", "key")])
async def test_a_service_that_repeats_its_secret_gives_nothing_away(auth: str, name: str) -> None:
    caller = ToolCaller(Principal("usr_1", "wsp_1", Role.MEMBER), "prj_1", "cnv_1", model_is_local=False)
    operations = {one.name: one for one in read_document(json.dumps(NOTES)).operations}
    async with web_service() as heard, make_client() as client:
        heard.answers = parrot
        service = HttpService("notes", heard.url, Auth(auth), name, "sk-canary/with signs")
        tool = HttpTool(service, operations["list_notes"], Effect.READ, client)
        result = await tool.run({"tag": "a"}, caller)

    assert not result.failed
    assert "••••" in result.text
    assert "canary" not in result.text
    assert "sk-canary" in str(heard.heard[0])


async def test_a_service_that_is_silent_may_have_done_what_it_was_asked() -> None:
    caller = ToolCaller(Principal("usr_1", "wsp_1", Role.MEMBER), "prj_1", "cnv_1", model_is_local=False)
    operations = {one.name: one for one in read_document(json.dumps(NOTES)).operations}
    async with web_service() as heard, make_client() as client:
        heard.silence = 0.5
        service = HttpService("notes", heard.url)
        told = []
        for name, arguments in (("add_note", {"body": {"text": "x"}}), ("list_notes", {})):
            tool = HttpTool(service, operations[name], operations[name].effect, client, timeout_seconds=0.1)
            told.append((await tool.run(arguments, caller)).text)

    assert "is not known" in told[0]
    assert "is not known" not in told[1]
