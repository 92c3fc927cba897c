"""Files and search from the command line, against a real server."""

import asyncio
import io
import json
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from rich.console import Console
from tests.files_world import zipped
from tests.world import Person, World

from tertulia.cli import index_progress
from tertulia.cli.commands import root
from tertulia.cli.file_upload import LocalFile, split_batches
from tertulia.cli.search_hits import draw_hit, hit_location, snippet
from tertulia.core.errors import TertuliaError
from tertulia.projects import access as projects

Run = Callable[..., Awaitable[Result]]


@pytest.fixture
async def tertulia(world: World, ada: Person, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs a command as Ada, who has a default project."""
    await world.db.write(projects.get_default, by=ada.principal)
    monkeypatch.setenv("TERTULIA_URL", str(ada.client.base_url))
    monkeypatch.setenv("TERTULIA_TOKEN", ada.token)

    async def run(*args: str | Path, piped: str = "") -> Result:
        return await asyncio.to_thread(
            CliRunner().invoke, root, [str(arg) for arg in args], input=piped or None
        )

    return run


@pytest.fixture
def papers(tmp_path: Path) -> Path:
    """A folder as people have them: with what they mean, and what they do not."""
    folder = tmp_path / "papers"
    for name, text in {
        "tides.md": "# Tides\n\nThe moon pulls the sea twice a day.\n",
        "code/harbour.py": "def open_harbour_gate():\n    return 'open'\n",
        "code/node_modules/junk.js": "junk()",
        ".git/config": "[core]",
        ".hidden": "hidden",
    }.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    (folder / "link").symlink_to("/etc/hostname")
    return folder


async def test_a_folder_is_uploaded_found_listed_fetched_and_deleted(
    tertulia: Run, papers: Path, tmp_path: Path
) -> None:
    sent = await tertulia("files", "upload", papers, "--to", "sea")
    assert sent.exit_code == 0, sent.output
    assert sent.stdout.split() == ["sea/papers/tides.md", "sea/papers/code/harbour.py"]
    assert "link: Only plain files" in sent.stderr

    found = await tertulia("search", "open_harbour_gate")
    assert found.stdout.split("\t")[0] == "sea/papers/code/harbour.py:1-2"
    listed = await tertulia("files", "list", "sea/papers/code")
    assert listed.stdout.split("\t")[:4] == ["sea/papers/code/harbour.py", "43", "1", "code"]

    into = tmp_path / "tides.md"
    assert (await tertulia("files", "get", "sea/papers/tides.md", "-o", tmp_path)).exit_code == 0
    assert into.read_bytes() == (papers / "tides.md").read_bytes()
    again = await tertulia("files", "get", "sea/papers/tides.md", "-o", into)
    assert isinstance(again.exception, TertuliaError)
    printed = await tertulia("files", "get", "sea/papers/tides.md")
    assert printed.stdout_bytes == into.read_bytes()

    assert (await tertulia("files", "delete", "sea/papers/tides.md", piped="n\n")).exit_code == 1
    assert (await tertulia("files", "delete", "sea/papers/tides.md", "sea/", "--yes")).exit_code == 0
    assert (await tertulia("files", "list")).stdout == ""
    assert (await tertulia("search", "open_harbour_gate", "--files")).stdout == ""


async def test_hidden_files_are_sent_when_all_is_asked_for(tertulia: Run, papers: Path) -> None:
    sent = await tertulia("files", "upload", papers, "--all", "--no-wait")
    assert {"papers/.hidden", "papers/.git/config", "papers/code/node_modules/junk.js"} <= set(
        sent.stdout.split()
    )


async def test_what_is_not_kept_is_said_with_the_reason(tertulia: Run, tmp_path: Path) -> None:
    archive = tmp_path / "archive.zip"
    archive.write_bytes(zipped(("good.txt", b"good"), ("../bad.txt", b"bad")))
    sent = await tertulia("files", "upload", archive, "--unpack", "--no-wait")
    assert sent.exit_code == 1
    assert sent.stdout.split() == ["good.txt"]
    assert "../bad.txt: The path cannot be used" in sent.stderr
    kept = await tertulia("files", "upload", archive, "--no-wait")
    assert kept.stdout.split() == ["archive.zip"]


async def test_an_empty_folder_and_an_unknown_project_are_sentences(tertulia: Run, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for args in (("upload", tmp_path / "empty"), ("list", "--project", "Nowhere")):
        error = (await tertulia("files", *args)).exception
        assert isinstance(error, TertuliaError)
        assert error.message.startswith("There is no")


async def test_the_default_project_is_meant_where_none_is_named(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    eve = await world.person()
    monkeypatch.setenv("TERTULIA_URL", world.url)
    monkeypatch.setenv("TERTULIA_TOKEN", eve.token)
    done = await asyncio.to_thread(CliRunner().invoke, root, ["files", "list"])
    assert done.exit_code == 0, done.output
    assert [one["name"] for one in (await eve.get("/api/projects")).json()["projects"]] == ["General"]


async def test_search_keeps_to_what_is_asked_for_and_tells_why(tertulia: Run, ada: Person) -> None:
    made = (await ada.post("/api/projects", {"name": "Harbour"})).json()
    url = f"/api/projects/{made['id']}/files"
    await ada.post(url, {"path": "boats.md", "content": "# Boats\n\nLanterns on the quay.\n\nRed sails."})
    await ada.ask("Where are the lanterns?", project_id=made["id"])
    assert (await tertulia("reindex", "--project", "harbour")).exit_code == 0

    told = await tertulia("search", "lanterns", "--project", "Harbour", "--files", "--why")
    lines = told.stdout.splitlines()
    assert lines[0].startswith("boats.md:")
    assert any(line.startswith("\tlexical: 1.00 * ") for line in lines)
    talk = await tertulia("search", "lanterns", "--talk", "--json")
    assert {hit["kind"] for hit in json.loads(talk.stdout)["hits"]} == {"message"}
    assert "Nothing was found" in (await tertulia("search", "zeppelin", "--project", made["id"])).stderr


async def test_everything_is_indexed_anew_and_can_be_found_meanwhile(tertulia: Run, papers: Path) -> None:
    await tertulia("files", "upload", papers)
    assert (await tertulia("reindex", "--project", "General", "--all")).exit_code == 2
    assert "2 texts" in (await tertulia("reindex", "--no-wait")).stderr
    assert (await tertulia("search", "moon")).stdout
    done = await tertulia("reindex")
    assert done.exit_code == 0
    assert "can be found" in done.stderr


async def test_an_evaluation_without_marks_says_how_to_make_some(tertulia: Run) -> None:
    told = await tertulia("eval", "retrieval")
    assert told.exit_code == 0
    assert "mark it as good or" in told.stderr
    unsaved = await tertulia("eval", "retrieval", "--set", "dense=off", "--apply")
    assert unsaved.exit_code == 1
    assert "Nothing was changed" in unsaved.stderr


@pytest.mark.parametrize("flag", ["colour=red", "dense=perhaps", "token_budget=many", "dense"])
async def test_a_flag_that_makes_no_sense_is_refused(tertulia: Run, flag: str) -> None:
    assert (await tertulia("eval", "retrieval", "--set", flag)).exit_code == 2


async def test_marks_measure_a_change_which_is_then_kept(tertulia: Run, ada: Person) -> None:
    made = (await ada.post("/api/projects", {"name": "Harbour"})).json()
    url = f"/api/projects/{made['id']}/files"
    await ada.post(url, {"path": "boats.md", "content": "# Boats\n\nLanterns hang on the quay wall."})
    await tertulia("reindex")
    asked = "Which lanterns hang on the quay wall?"
    round_ = await ada.ask(asked, project_id=made["id"], models=["librarian"])
    (reply,) = round_["replies"]
    number = reply["passages"][0]["number"]
    marked = await ada.put(f"/api/replies/{reply['id']}/citations/{number}", {"good": True})
    assert marked.status_code == 204

    same = await tertulia("eval", "retrieval", "--project", "Harbour", "--set", "rerank=off")
    assert same.exit_code == 0, same.output
    assert "1 questions" in same.stderr
    worse = await tertulia("eval", "retrieval", "--set", "hybrid=off")
    assert worse.exit_code == 1
    moved = [line.split("\t") for line in worse.stdout.splitlines() if line.startswith(asked)]
    assert [(line[1].isdigit(), line[2]) for line in moved] == [(True, "not found")]
    kept = await tertulia("eval", "retrieval", "--set", "rerank_alpha=0.4", "--apply")
    assert kept.exit_code == 0
    held = (await ada.get("/api/retrieval/preferences")).json()
    assert (held["current"]["rerank_alpha"], held["chosen"]) == (0.4, ["rerank_alpha"])


def test_files_are_sent_some_at_a_time() -> None:
    small = [LocalFile(Path("x"), str(number), 10) for number in range(120)]
    large = [LocalFile(Path("y"), "y", 40_000_000), LocalFile(Path("z"), "z", 40_000_000)]
    assert [len(batch) for batch in split_batches(small + large)] == [50, 50, 21, 1]


def test_the_lines_around_the_best_one_are_shown() -> None:
    content = "\n".join(f"line {number}" for number in range(20)) + "\nthe moon\nthe end"
    first, lines = snippet(content, "moon")
    assert "the moon" in lines
    assert content.splitlines()[first : first + len(lines)] == lines
    assert snippet("", "anything") == (0, [""])


def test_nobody_waits_forever_for_meanings(capsys: pytest.CaptureFixture[str]) -> None:
    class Server:
        def get(self, path: str) -> dict[str, int]:
            return {"waiting": 0, "chunked": 3, "ready": 1, "failed": 0, "total": 4, "chunks": 9}

    state = index_progress.wait_for_index(Server(), ["p"], report_progress=lambda *_: None, stall_seconds=0)  # type: ignore[arg-type] - all that is asked of it
    assert state["chunked"] == 3
    assert "words find them" in capsys.readouterr().err


def test_a_hit_is_drawn_with_its_place_lines_and_reasons() -> None:
    hit = {
        "kind": "file",
        "score": 0.9,
        "content": "def gate():\n    \x1b[2Jopen()\n",
        "location": {"path": "src/gate.py", "page": "", "start_line": 7, "end_line": 8, "heading": "Gate"},
        "why": [
            {"signal": "names", "value": 1.0, "weight": 0.5, "adds": 0.5},
            {"signal": "recency", "value": 0.0, "weight": 0.1, "adds": 0.0},
        ],
    }
    screen = Console(width=60, record=True, file=io.StringIO())
    screen.print(draw_hit(hit, "open gate", number=1, why=True))
    shown = [line.rstrip() for line in screen.export_text().splitlines()]
    assert shown[:5] == [
        "1. src/gate.py:7-8  0.900",
        "   Gate",
        "       7  def gate():",
        "       8      [2Jopen()",
        "   names: 1.00 * 0.50 = 0.500",
    ]


def test_the_place_of_something_said_names_the_round_and_who_said_it() -> None:
    place = {"title": None, "conversation_id": "cnv_1", "round_number": 3, "said_at": "2026-05-03T10:00:00Z"}
    said = {"kind": "message", "location": {**place, "speaker": "agent:gpt-5"}}
    assert hit_location(said) == "cnv_1, round 3, gpt-5, 2026-05-03"
    summed_up = {"kind": "summary", "location": {**place, "speaker": "summary"}}
    assert hit_location(summed_up) == "cnv_1, round 3, summary, 2026-05-03"
    task = {"kind": "task", "location": {"task_id": "tsk_1", "said_at": "2026-05-03T10:00:00Z"}}
    assert hit_location(task) == "task of 2026-05-03"
