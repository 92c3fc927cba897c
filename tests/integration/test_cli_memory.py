"""Memories from the command line, against a real server."""

import asyncio
import json
import os
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result
from tests.accounts_door import ok
from tests.world import Json, Person, World

from tertulia.cli import memory_choice, memory_inbox
from tertulia.cli.commands import root
from tertulia.cli.errors import FileUnreadable, InTheWay, ServerRefused
from tertulia.cli.memory_choice import find_by_end
from tertulia.core.errors import NotFound

Run = Callable[..., Awaitable[Result]]
TOLD = "I live in Porto. My name is Ada. I work for a shipyard in Lisbon."
#: Statements of which none is on the subject of another.
UNRELATED = (
    "I ride a red bike.",
    "Mara paints boats.",
    "Tea is in the blue tin.",
    "The attic leaks.",
    "Owls nest here.",
)
#: What is the same after memories were taken elsewhere.
CARRIED_FIELDS = ("content", "type", "category", "pinned", "local_only", "confidence")


@pytest.fixture
async def tertulia(ada: Person, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs `tertulia memory` as Ada, or as somebody else."""
    monkeypatch.setenv("TERTULIA_URL", str(ada.client.base_url))

    async def run(*args: str | Path, piped: str | bytes = "", who: Person = ada) -> Result:
        line = ["memory", *map(str, args)]
        runner = CliRunner(env={"TERTULIA_TOKEN": who.token})
        return await asyncio.to_thread(runner.invoke, root, line, input=piped or None)

    return run


async def remember(person: Person, content: str, **more: Any) -> Json:
    """Have a person write a memory."""
    return ok(await person.post("/api/memories", {"type": "fact", "content": content, **more}), 201)


async def listed(person: Person, query: str = "") -> list[Json]:
    """Return the memories that a person is shown."""
    return ok(await person.get(f"/api/memories{query}"))["memories"]


async def say(person: Person, text: str) -> str:
    """Have a person say something in a conversation of its own, and return that."""
    turn = await person.start(text)
    await person.finished(turn)
    return turn["conversation"]["id"]


def rows(result: Result) -> list[list[str]]:
    """Return the lines of a list that succeeded, cell by cell."""
    assert result.exit_code == 0, result.output
    return [line.split("\t") for line in result.stdout.splitlines()]


def texts(result: Result) -> list[str]:
    return [row[-1] for row in rows(result)]


def records(exported: bytes | str) -> list[Json]:
    return [json.loads(line) for line in exported.splitlines()]


def carried(exported: bytes | str) -> list[tuple[Any, ...]]:
    """Return what has to arrive of exported memories, in no order."""
    return sorted(tuple(record[name] for name in CARRIED_FIELDS) for record in records(exported))


async def test_what_is_added_is_listed_and_can_be_narrowed(tertulia: Run, ada: Person) -> None:
    project = ok(await ada.post("/api/projects", {"name": "Bridge"}), 201)["id"]
    made = await tertulia("add", "My desk is in room 12.", "--category", "work", "--pin", "--local-only")
    await tertulia("add", "I prefer tea.", "--type", "preference")
    await tertulia("add", "The bridge has four lanes.", "--project", "bridge")
    desk = made.stdout.strip()
    assert [row[1:] for row in rows(await tertulia("list"))] == [
        ["fact", "active", "", "shared", "The bridge has four lanes."],
        ["preference", "active", "", "", "I prefer tea."],
        ["fact", "active", "work", "pinned, local_only", "My desk is in room 12."],
    ]
    for narrowed in (("--category", "work"), ("--pinned",), ("--text", "DESK")):
        assert [row[0] for row in rows(await tertulia("list", *narrowed))] == [desk]
    assert texts(await tertulia("list", "--type", "preference")) == ["I prefer tea."]
    assert texts(await tertulia("list", "--project", project)) == ["The bridge has four lanes."]
    assert [memory["id"] for memory in json.loads((await tertulia("list", "--pinned", "--json")).stdout)] == [
        desk
    ]
    assert "Nothing was found" in (await tertulia("list", "--text", "zeppelin")).stderr


async def test_a_list_goes_on_to_its_end(tertulia: Run, ada: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory_choice, "MEMORIES_PAGE_SIZE", 2)
    for content in UNRELATED:
        await remember(ada, content)
    assert texts(await tertulia("list")) == list(reversed(UNRELATED))


async def test_a_terminal_shows_the_ends_of_ids_which_are_enough(
    tertulia: Run, ada: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = await remember(ada, "My \x1b[2Jlocker is number 7.")
    monkeypatch.setenv("FORCE_COLOR", "1")
    shown = (await tertulia("list")).stdout
    monkeypatch.delenv("FORCE_COLOR")
    assert made["id"] not in shown
    assert made["id"][-6:] in shown
    assert "\x1b[2J" not in shown
    assert rows(await tertulia("pin", made["id"][-6:].lower()))[0][0] == made["id"]
    for wrong in (made["id"][-5:], "ZZZZZZ", "../../api"):
        assert isinstance((await tertulia("pin", wrong)).exception, NotFound)


def test_an_end_that_several_ids_have_is_refused_with_these() -> None:
    known = [{"id": "mem_1ABCDEF"}, {"id": "mem_2ABCDEF"}]
    with pytest.raises(click.UsageError, match="mem_1ABCDEF, mem_2ABCDEF"):
        find_by_end(known, "ABCDEF")
    assert find_by_end(known, "1abcdef") == known[0]


async def test_what_is_proposed_is_shown_with_its_words_before_it_is_decided(
    tertulia: Run, ada: Person
) -> None:
    conversation = await say(ada, TOLD)
    found = await tertulia("extract", conversation)
    ids = [row[0] for row in rows(found)]
    assert {row[2] for row in rows(found)} == {"proposed"}
    assert "3 proposals wait" in found.stderr
    assert "3 proposals wait" in (await tertulia("list")).stderr
    assert [row[0] for row in rows(await tertulia("list", "--status", "proposed"))] == ids[::-1]

    kept = await tertulia("approve", ids[0][-6:])
    assert rows(kept) == [[ids[0], "active"]]
    assert "“I live in Porto.”" in kept.stderr
    assert "2 proposals wait" in kept.stderr
    assert rows(await tertulia("reject", *ids[1:])) == [[id_, "rejected"] for id_ in ids[1:]]
    assert (await tertulia("reject", "--all")).stderr == "Nothing waits for your yes.\n"
    assert "Nothing new" in (await tertulia("extract", conversation)).stderr
    assert isinstance((await tertulia("extract", "cnv_nowhere")).exception, ServerRefused)


@pytest.mark.parametrize(("decision", "status"), [("approve", "active"), ("reject", "rejected")])
async def test_all_that_waits_is_decided_after_a_yes(
    tertulia: Run, ada: Person, monkeypatch: pytest.MonkeyPatch, decision: str, status: str
) -> None:
    monkeypatch.setattr(memory_inbox, "MEMORY_DECISIONS_BATCH_SIZE", 2)
    await tertulia("extract", await say(ada, TOLD))
    for answer in ("n\n", ""):
        unsure = await tertulia(decision, "--all", piped=answer)
        assert (unsure.exit_code, unsure.stdout) == (1, "")
        assert "“My name is Ada.”" in unsure.stderr
    assert len(await listed(ada, "?status=proposed")) == 3
    sure = await tertulia(decision, "--all", *(["--yes"] if decision == "approve" else []), piped="y\n")
    assert [row[1] for row in rows(sure)] == [status] * 3


@pytest.mark.parametrize(
    "wrong",
    [
        ("approve",),
        ("reject", "--all", "ABCDEF"),
        ("list", "--type", "song"),
        ("list", "--status", "lost"),
        ("add",),
        ("pin",),
        ("import", "nowhere.jsonl"),
    ],
)
async def test_wrong_use_is_told_from_failure(tertulia: Run, wrong: tuple[str, ...]) -> None:
    assert (await tertulia(*wrong)).exit_code == 2


async def test_a_memory_is_corrected_marked_put_aside_and_brought_back(tertulia: Run, ada: Person) -> None:
    made = (await remember(ada, "My sister is called Mara."))["id"]
    edited = await tertulia("edit", made, "My sister is called Marta.")
    assert texts(edited) == ["My sister is called Marta."]
    assert "takes that back" in edited.stderr
    assert rows(await tertulia("pin", made))[0][4] == "pinned"
    assert rows(await tertulia("unpin", made))[0][4] == ""
    assert rows(await tertulia("archive", made))[0][2] == "archived"
    assert rows(await tertulia("list")) == []
    assert rows(await tertulia("restore", made))[0][2] == "active"
    assert texts(await tertulia("undo", made)) == ["My sister is called Mara."]
    nothing = (await tertulia("undo", made)).exception
    assert isinstance(nothing, ServerRefused)
    assert nothing.reason == "memory_unfit"


async def test_what_is_worth_a_second_look_says_why_and_is_confirmed(tertulia: Run, ada: Person) -> None:
    await remember(ada, "My editor is Vim.")
    plugins = await remember(ada, "The plugin list for Vim is in dotfiles.")
    await remember(ada, "My editor is Emacs.")
    listed_for_review = await tertulia("list", "--review")
    assert rows(listed_for_review) == [[plugins["id"], "fact", "active", "", "review", plugins["content"]]]
    end = plugins["id"][-6:]
    assert f"{end}: It names Vim, and what you said of that has changed." in listed_for_review.stderr
    assert f"`tertulia memory confirm {end}`" in listed_for_review.stderr
    assert rows(await tertulia("confirm", end))[0][4] == ""
    assert rows(await tertulia("list", "--review")) == []


async def test_what_takes_the_place_of_something_says_so_and_how_to_undo_it(
    tertulia: Run, ada: Person
) -> None:
    old = await remember(ada, "The capital of Norway is Oslo.")
    new = await tertulia("add", "The capital of Norway is Bergen.")
    end = new.stdout.strip()[-6:]
    assert f"{end} takes the place of {old['id'][-6:]}; `tertulia memory undo {end}`" in new.stderr
    assert rows(await tertulia("undo", end))[0][0] == old["id"]
    assert f"{end} takes the place of" in (await tertulia("restore", end)).stderr


async def test_forgetting_is_asked_about_and_all_or_nothing(tertulia: Run, ada: Person) -> None:
    made = [(await remember(ada, content))["id"] for content in UNRELATED[:2]]
    for answer in ("n\n", ""):
        assert (await tertulia("forget", made[0], piped=answer)).exit_code == 1
    assert isinstance((await tertulia("forget", made[0], "ZZZZZZ", "--yes")).exception, NotFound)
    assert len(await listed(ada)) == 2
    asked = await tertulia("forget", made[0][-6:], piped="y\n")
    assert asked.exit_code == 0
    assert UNRELATED[0] in asked.stderr
    assert "Forgot 1 memory." in (await tertulia("forget", made[1], made[1], "--yes")).stderr
    assert await listed(ada) == []


async def test_nobody_elses_memories_can_be_named(tertulia: Run, ada: Person, world: World) -> None:
    made = await remember(ada, "My salary is 4,321.")
    bea = await world.person(like=ada)
    assert rows(await tertulia("list", who=bea)) == []
    whole = await tertulia("forget", made["id"], "--yes", who=bea)
    end = await tertulia("forget", made["id"][-6:], "--yes", who=bea)
    assert isinstance(whole.exception, ServerRefused)
    assert isinstance(end.exception, NotFound)
    assert len(await listed(ada)) == 1


async def plant(tertulia: Run, ada: Person) -> str:
    """Give Ada memories of every status, and return the conversation that some of them quote."""
    conversation = await say(ada, TOLD)
    ids = [row[0] for row in rows(await tertulia("extract", conversation))]
    await tertulia("approve", ids[0])
    await tertulia("reject", ids[1])
    await remember(ada, "I prefer dark\u2028tea.", type="preference", confidence=0.25, pinned=True)
    await remember(ada, "My safe word is heliotrope.", category="home", local_only=True)
    await remember(ada, "The capital of Norway is Oslo.", pinned=True)
    capital = await remember(ada, "The capital of Norway is Bergen.")
    ok(await ada.put(f"/api/memories/{capital['id']}", {"pinned": False}))
    locker = await remember(ada, "My locker is number 7.", pinned=True)
    ok(await ada.put(f"/api/memories/{locker['id']}", {"archived": True}))
    return conversation


async def test_memories_taken_elsewhere_are_the_same_there(
    tertulia: Run, ada: Person, world: World, tmp_path: Path
) -> None:
    await plant(tertulia, ada)
    file = tmp_path / "memories.jsonl"
    exported = await tertulia("export", file)
    assert exported.stdout == f"{file}\n"
    assert "Exported 7 memories." in exported.stderr
    bea = await world.person()
    imported = await tertulia("import", file, who=bea)
    assert imported.exit_code == 0, imported.output
    assert len(imported.stdout.split()) == 7
    assert imported.stderr.count("Its evidence stands in no message of yours here") == 2
    assert "Archived, since they waited or were replaced: 2." in imported.stderr

    again = await tertulia("export", "-", who=bea)
    assert carried(again.stdout_bytes) == carried(file.read_bytes())
    held = sorted(record["content"] for record in records(file.read_bytes()) if record["status"] == "active")
    assert sorted(memory["content"] for memory in await listed(bea)) == held
    assert {record["status"] for record in records(again.stdout_bytes)} == {"active", "archived"}
    assert await listed(bea, "?status=superseded") == []


async def test_what_is_there_already_is_passed_over(tertulia: Run, ada: Person) -> None:
    await plant(tertulia, ada)
    exported = (await tertulia("export", "-")).stdout_bytes
    twice = await tertulia("import", "-", piped=exported)
    assert (twice.exit_code, twice.stdout) == (0, "")
    assert "Imported 0 memories. Already there: 7." in twice.stderr
    assert (await tertulia("export", "-")).stdout_bytes == exported


async def test_evidence_that_stands_here_comes_along(tertulia: Run, ada: Person) -> None:
    await plant(tertulia, ada)
    exported = (await tertulia("export", "-")).stdout_bytes
    quotes = [record["evidence"] for record in records(exported)]
    await tertulia("forget", *(record["id"] for record in records(exported)), "--yes")
    back = await tertulia("import", "-", piped=exported)
    assert "evidence" not in back.stderr
    after = [record["evidence"] for record in records((await tertulia("export", "-")).stdout_bytes)]
    assert sorted(map(str, after)) == sorted(map(str, quotes))
    assert sum(quote is not None for quote in after) == 2


async def test_what_was_replaced_elsewhere_replaces_nothing_here(
    tertulia: Run, ada: Person, world: World
) -> None:
    bea = await world.person()
    await remember(bea, "The capital of Norway is Trondheim.", pinned=True)
    line = {"type": "fact", "content": "The capital of Norway is Oslo.", "status": "superseded"}
    await tertulia("import", "-", piped=json.dumps(line), who=bea)
    assert [memory["content"] for memory in await listed(bea)] == ["The capital of Norway is Trondheim."]
    (kept,) = await listed(bea, "?status=archived")
    assert (kept["content"], kept["pinned"], kept["supersedes"]) == (line["content"], False, None)


async def test_of_two_that_say_the_same_the_one_that_holds_is_taken(tertulia: Run, ada: Person) -> None:
    line = {"type": "fact", "content": "I ride a red bike."}
    piped = "\n".join(json.dumps({**line, "status": status}) for status in ("superseded", "active"))
    done = await tertulia("import", "-", piped=piped)
    assert "Imported 1 memory. Already there: 1." in done.stderr
    assert [memory["status"] for memory in await listed(ada)] == ["active"]


async def test_what_cannot_be_taken_is_told_line_by_line(tertulia: Run, ada: Person) -> None:
    lines = [
        "\ufeff" + json.dumps({"type": "fact", "content": "My desk is in room 12.", "colour": "red"}),
        "{nonsense",
        "",
        json.dumps({"type": "song", "content": "La la la"}),
        json.dumps({"type": "fact", "content": "x" * 2_001}),
        json.dumps({"type": "fact", "content": "y" * 2_001, "status": "archived"}),
        json.dumps({"type": "fact", "content": "So it is", "confidence": 7}),
        json.dumps({"content": "Nothing else"}),
    ]
    done = await tertulia("import", "-", piped="\r\n".join(lines))
    assert done.exit_code == 1
    assert len(done.stdout.split()) == 1
    told = [line.partition(":")[0] for line in done.stderr.splitlines() if line.startswith("Line")]
    assert sorted(told) == [f"Line {number}" for number in (2, 4, 5, 6, 7, 8)]
    assert "Imported 1 memory. Not taken: 6." in done.stderr
    every = "?status=active&status=archived&status=superseded"
    assert [memory["content"] for memory in await listed(ada, every)] == ["My desk is in room 12."]


async def test_a_file_of_something_else_is_refused_in_one_sentence(tertulia: Run, tmp_path: Path) -> None:
    bundle = tmp_path / "bundle.json"
    bundle.write_text(json.dumps({"format": "tertulia.bundle", "conversations": []}, indent=2))
    refused = (await tertulia("import", bundle)).exception
    assert isinstance(refused, FileUnreadable)
    assert "holds no memories that can be read. Line 1:" in refused.message
    assert "Imported 0 memories." in (await tertulia("import", "-")).stderr
    assert isinstance((await tertulia("export", bundle)).exception, InTheWay)
    assert (await tertulia("export", bundle, "--force")).exit_code == 0
    assert bundle.read_bytes() == b""


async def test_a_projects_memories_go_to_a_project(tertulia: Run, ada: Person) -> None:
    for name in ("Bridge", "Tunnel"):
        ok(await ada.post("/api/projects", {"name": name}), 201)
    await tertulia("add", "The wall is four metres thick.", "--project", "Bridge")
    await remember(ada, "My desk is in room 12.")
    exported = (await tertulia("export", "-", "--project", "Bridge")).stdout_bytes
    assert [record["content"] for record in records(exported)] == ["The wall is four metres thick."]
    await tertulia("import", "-", "--project", "Tunnel", piped=exported)
    assert texts(await tertulia("list", "--project", "Tunnel")) == ["The wall is four metres thick."]
    own = records((await tertulia("export", "-")).stdout_bytes)
    assert [record["content"] for record in own] == ["My desk is in room 12."]


async def test_a_viewer_is_refused_once(tertulia: Run, ada: Person, world: World) -> None:
    viewer = await world.person(like=ada, role="viewer")
    piped = "\n".join(json.dumps({"type": "fact", "content": content}) for content in UNRELATED)
    refused = await tertulia("import", "-", piped=piped, who=viewer)
    assert isinstance(refused.exception, ServerRefused)
    assert refused.stderr == ""


async def test_a_shell_pipes_memories_from_one_person_to_another(ada: Person, world: World) -> None:
    await remember(ada, "Mi escritorio está en la sala 12.")
    bea = await world.person()
    command = f"{sys.executable} -m tertulia memory"
    line = f"TERTULIA_TOKEN={ada.token} {command} export - | TERTULIA_TOKEN={bea.token} {command} import -"
    shell = await asyncio.create_subprocess_shell(
        line,
        env=os.environ | {"TERTULIA_URL": world.url},
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    printed, said = await shell.communicate()
    assert shell.returncode == 0, said
    (made,) = await listed(bea)
    assert printed.decode().split() == [made["id"]]
    assert made["content"] == "Mi escritorio está en la sala 12."
