"""Calls of a server's tools that wait for a person, and what comes of a yes and of a no."""

import sys
from collections.abc import Generator
from pathlib import Path

import pytest
from tests.contract.test_tools_mcp import SECRET, asked, calls, waiting
from tests.scripted_provider import ScriptedProvider
from tests.tool_servers import OFFICIAL, add_server, official_server
from tests.world import Json, Person


@pytest.fixture(scope="module")
def official() -> Generator[str]:
    with official_server() as url:
        yield url


@pytest.fixture
async def server(ada: Person, official: str) -> Json:
    return await add_server(ada, official)


async def test_a_tool_that_changes_something_waits_for_a_yes(
    ada: Person, provider: ScriptedProvider, server: Json, tmp_path: Path
) -> None:
    path = tmp_path / "written"
    turn, event = await waiting(ada, provider, calls("test__append", path=str(path), line="one"))
    assert not path.exists()

    decision = f"/api/replies/{event['reply_id']}/calls/{event['call']['id']}/decision"
    assert (await ada.post(decision, {"approve": True})).status_code == 200
    round_ = await ada.finished(turn)
    assert path.read_text() == "one\n"
    assert round_["replies"][0]["tool_calls"][0]["status"] == "done"


async def test_a_no_is_a_no(ada: Person, provider: ScriptedProvider, server: Json, tmp_path: Path) -> None:
    path = tmp_path / "written"
    turn, event = await waiting(ada, provider, calls("test__append", path=str(path), line="one"))
    decision = f"/api/replies/{event['reply_id']}/calls/{event['call']['id']}/decision"
    assert (await ada.post(decision, {"approve": False})).status_code == 200

    await ada.finished(turn)
    assert not path.exists()


async def test_a_program_of_ours_is_given_nothing_of_ours_and_starts_anew_after_a_crash(
    ada: Person, provider: ScriptedProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-the-server-itself")
    body = {"slug": "prog", "command": sys.executable, "arguments": [str(OFFICIAL)]}
    settings = {"LOG_LEVEL": "crash", "MODE": "environment"}
    made = await ada.post("/api/tool-servers", body | {"secrets": {"TOKEN": SECRET, **settings}})
    checked = await ada.post(f"/api/tool-servers/{made.json()['id']}/check")
    assert checked.status_code == 200, checked.text
    assert checked.json()["secret_names"] == ["LOG_LEVEL", "MODE", "TOKEN"]
    called = {one["called"] for one in checked.json()["tools"]}
    assert {"prog__environment", "prog__crash"} <= called, "a setting hides no name"

    seen = (await asked(ada, provider, calls("prog__environment")))["tool_calls"][0]["result"]
    assert "TOKEN=••••" in seen
    assert "LOG_LEVEL=crash" in seen
    assert "OPENAI_API_KEY" not in seen
    first = (await asked(ada, provider, calls("prog__who")))["tool_calls"][0]["result"]

    turn, event = await waiting(ada, provider, calls("prog__crash"))
    decision = f"/api/replies/{event['reply_id']}/calls/{event['call']['id']}/decision"
    await ada.post(decision, {"approve": True})
    (crashed,) = (await ada.finished(turn))["replies"][0]["tool_calls"]
    assert crashed["status"] == "unknown"
    assert "is not known" in crashed["result"]

    second = (await asked(ada, provider, calls("prog__who")))["tool_calls"][0]["result"]
    assert "<answer" in second
    assert second != first
    assert (await ada.delete(f"/api/tool-servers/{made.json()['id']}")).status_code == 204
