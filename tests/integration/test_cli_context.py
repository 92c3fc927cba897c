"""What models are shown, from the command line, against a real server."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from io import StringIO
from typing import Any

import pytest
from click.testing import CliRunner, Result
from rich.console import Console, RenderableType
from tests.chat_world import chat
from tests.fake_server import fake_server, reply_view, said, turn_view
from tests.world import Person, World

from tertulia.cli.commands import root
from tertulia.cli.context_view import conversation_view, receipt_view
from tertulia.core.errors import TertuliaError

Run = Callable[..., Awaitable[Result]]
DECIDED = "We decided to open the harbour gate at 06:40 every day."


@pytest.fixture
async def tertulia(ada: Person, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs a command as Ada."""
    monkeypatch.setenv("TERTULIA_URL", str(ada.client.base_url))
    monkeypatch.setenv("TERTULIA_TOKEN", ada.token)

    async def run(*args: str) -> Result:
        return await asyncio.to_thread(CliRunner().invoke, root, ["context", *args])

    return run


async def asked(ada: Person, *questions: str) -> tuple[str, list[dict[str, Any]]]:
    """Ask one thing after the other, and return the conversation and its rounds."""
    rounds: list[dict[str, Any]] = []
    more: dict[str, Any] = {}
    for question in questions:
        turn = await ada.start(question, **more)
        more = {"conversation_id": turn["conversation"]["id"]}
        rounds.append(await ada.finished(turn))
    return more["conversation_id"], rounds


def drawn(what: RenderableType) -> str:
    shown = StringIO()
    Console(file=shown, width=110, force_terminal=False).print(what)
    return shown.getvalue()


async def test_the_conversation_used_last_is_shown_when_none_is_named(tertulia: Run, ada: Person) -> None:
    await asked(ada, "Why are there tides?")
    conversation, _ = await asked(ada, DECIDED, "When does the gate open?")
    shown = await tertulia("show", "--question", "And on Sundays?")
    assert shown.exit_code == 0, shown.output
    assert conversation in shown.stderr
    rows = [line.split("\t") for line in shown.stdout.splitlines()]
    assert {row[0] for row in rows} == {"scripted-fast"}
    assert [row[1] for row in rows if row[1] in ("rounds", "question")] == ["rounds", "rounds", "question"]
    assert [row[3] for row in rows if row[1] == "question"] == ["And on Sundays?"]


async def test_other_models_can_be_thought_of(tertulia: Run, ada: Person) -> None:
    conversation, _ = await asked(ada, DECIDED)
    seen = await tertulia("show", conversation, "-m", "scripted-fast", "-m", "scripted-smart", "--json")
    assert [lane["lane"] for lane in json.loads(seen.stdout)["lanes"]] == ["scripted-fast", "scripted-smart"]


async def test_a_reply_has_a_receipt_with_every_word(tertulia: Run, ada: Person) -> None:
    _, rounds = await asked(ada, DECIDED, "When does the gate open?")
    reply = rounds[-1]["replies"][0]["id"]
    receipt = json.loads((await tertulia("show", reply, "--json")).stdout)
    words = (await tertulia("show", reply, "--texts")).stdout
    assert receipt["reply_id"] == reply
    assert DECIDED in words
    assert all(f"# {section['kind']} (" in words for section in receipt["plan"]["sections"])
    assert "rounds" in (await tertulia("show", reply)).stdout


@pytest.mark.parametrize("wrong", [("--texts",), ("msg_1", "--question", "Why?"), ("msg_1", "-m", "gpt-5")])
async def test_options_that_make_no_sense_together_are_said(tertulia: Run, wrong: tuple[str, ...]) -> None:
    assert (await tertulia("show", *wrong)).exit_code == 2


async def test_where_nothing_was_said_there_is_nothing_to_show(tertulia: Run) -> None:
    error = (await tertulia("show")).exception
    assert isinstance(error, TertuliaError)
    assert "tertulia ask" in error.message


async def test_a_conversation_is_summarised_compressed_and_taken_back(tertulia: Run, ada: Person) -> None:
    conversation, _ = await asked(ada, DECIDED, "Why?", "Who has the key?", "And the lamp?")
    before = json.loads((await tertulia("show", conversation, "--json")).stdout)["lanes"][0]["plan"]["hash"]
    assert "Nothing is summarised yet" in (await tertulia("summary", conversation)).stderr
    assert "06:40" in (await tertulia("summarise", conversation)).stdout

    pressed = await tertulia("compress", conversation)
    assert "are shown by these points alone" in pressed.stderr
    assert "06:40" in (await tertulia("summary", conversation)).stdout
    after = json.loads((await tertulia("show", conversation, "--json")).stdout)
    assert after["meter"]["watermark"] == 2
    assert after["lanes"][0]["plan"]["hash"] != before

    assert "Nothing is compressed." in (await tertulia("undo", conversation)).stderr
    again = json.loads((await tertulia("show", conversation, "--json")).stdout)
    assert again["lanes"][0]["plan"]["hash"] == before
    assert isinstance((await tertulia("undo", conversation)).exception, TertuliaError)


async def test_messages_are_pinned_left_out_and_kept_local(tertulia: Run, ada: Person) -> None:
    conversation, rounds = await asked(ada, DECIDED, "Why?")
    message = rounds[0]["question"]["id"]
    assert (await tertulia("pin", message)).stdout == f"{message}\tpinned\n"
    assert (await tertulia("local", message)).stdout == f"{message}\tlocal_only, pinned\n"
    assert (await tertulia("local", message, "--off")).stdout == f"{message}\tpinned\n"
    assert (await tertulia("exclude", message)).stdout == f"{message}\texcluded\n"
    left = [line.split("\t") for line in (await tertulia("show", conversation)).stdout.splitlines()]
    assert ["scripted-fast", "rounds", "You left it, or the question it answers, out of all prompts."] in [
        [row[0], row[1], row[4]] for row in left
    ]
    assert (await tertulia("exclude", message, "--off")).stdout == f"{message}\t\n"


async def test_sections_are_drawn_as_bars_with_what_was_left_out(world: World, ada: Person) -> None:
    conversation, rounds = await asked(ada, DECIDED, "Why?")
    await ada.put(f"/api/messages/{rounds[0]['question']['id']}/marks", {"excluded": True})
    seen = (await ada.get(f"/api/conversations/{conversation}/context?question=So?")).json()
    picture = drawn(conversation_view(seen, items=True))
    assert "tokens" in picture
    assert "━" in picture
    assert "You left it, or the question it answers, out of all prompts." in " ".join(picture.split())
    assert "So?" in picture
    assert "So?" not in drawn(conversation_view(seen, items=False))


async def test_a_receipt_is_drawn_with_what_the_provider_said(ada: Person) -> None:
    _, rounds = await asked(ada, DECIDED)
    receipt = (await ada.get(f"/api/replies/{rounds[0]['replies'][0]['id']}/receipt")).json()
    picture = drawn(receipt_view(receipt, items=False))
    assert f"The provider counted {receipt['usage']['input']:,} tokens in" in picture
    told = receipt | {"cached_share": 0.75, "cost": 0.0123}
    assert "75% of the prompt cached, $0.0123." in drawn(receipt_view(told, items=False))
    shortened = receipt | {"plan": receipt["plan"] | {"shortened": True, "local_only": True}}
    assert "too long" in drawn(receipt_view(shortened, items=False))
    unknown = receipt | {"cached_share": 0.75, "cost": None}
    assert "75% of the prompt cached, price unknown." in drawn(receipt_view(unknown, items=False))
    begun = drawn(receipt_view(receipt | {"usage": None, "status": "running"}, items=False))
    assert "The reply is running" in begun


async def test_a_model_that_could_not_be_asked_is_drawn_with_the_reason(tertulia: Run, ada: Person) -> None:
    conversation, _ = await asked(ada, DECIDED)
    wish = {"context": {"strategy": None, "level": None, "max_tokens": 500}}
    await ada.put(f"/api/conversations/{conversation}", wish)
    long = "tide " * 700
    seen = (await ada.get(f"/api/conversations/{conversation}/context", params={"question": long})).json()
    assert "raise the limit" in " ".join(drawn(conversation_view(seen, items=False)).split())
    assert "raise the limit" in (await tertulia("show", conversation, "--question", long)).stdout


def test_a_chat_shows_what_its_models_were_shown_in_short() -> None:
    plan = {"tokens": 120, "limit": 9000, "left_out": [{}], "sections": [{"kind": "system", "tokens": 100}]}
    usage = {"input": 118, "output": 9, "estimated": False}
    receipt = {"plan": plan, "usage": usage, "cached_share": 0.5, "cost": None}
    with fake_server() as server:
        server.answers["POST /api/turn"] = (202, turn_view(reply_view("a", "ant"), reply_view("b", "bee")))
        server.script = [*said("a", "ant", "Alpha"), *said("b", "bee", status="failed")]
        server.answers["GET /api/replies/a/receipt"] = (200, receipt)
        shown = chat(server, "Hello", "/context", "/context ant", width=300)
    line = "[ant] 120 of 9,000 tokens: system 100; 1 left out. The provider counted 118 tokens in, 9 out, 50%"
    assert shown.count(line) == 2
    assert shown.count("[bee] There is no") == 1
