"""Exported conversations: what is in them, and what an import refuses."""

import json
import re
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from tests import export_world
from tests.export_world import PNG, ExportWorld, ask, new_conversation, open_world, reply

from tertulia.conversations import rounds
from tertulia.conversations.domain import Origin, ReplyStatus
from tertulia.conversations.errors import ImportUnreadable
from tertulia.conversations.events import ReplyText, encode_event
from tertulia.conversations.import_reader import read_document
from tertulia.conversations.import_writer import import_conversation
from tertulia.core.errors import NotAllowed, NotFound
from tertulia.core.principal import Principal, Role
from tertulia.infra.db import Tx


@pytest.fixture
def world(tmp_path: Path) -> Generator[ExportWorld]:
    world = open_world(tmp_path)
    yield world
    world.db.close()


def plant(world: ExportWorld) -> str:
    """Make a conversation with a picture, two branches, a continued reply and one still running."""

    def write(tx: Tx) -> str:
        made = new_conversation(tx, world, title="Tides")
        first = ask(tx, made, "Why are there tides?", pictures=[b"moon"])
        half = reply(tx, first, "Because", status=ReplyStatus.STOPPED)
        reply(tx, first, "Because of the moon.", continues=half.id, attempt=2)
        question = rounds.get_question(tx, first.id).id
        second = ask(tx, made, "And the sun?", parent_id=question)
        running = reply(tx, second, "", status=ReplyStatus.RUNNING, finished_at=None)
        world.log.append(tx, made, [encode_event(ReplyText(running.id, 0, "It helps"))])
        ask(tx, made, "And the wind?", parent_id=question)
        return made

    return world.write(write)


def exported(world: ExportWorld, conversation_id: str, *, by: Principal | None = None) -> dict[str, Any]:
    return json.loads(export_world.exported(world, conversation_id, by=by))


def planted_json(world: ExportWorld) -> bytes:
    return export_world.exported(world, plant(world))


def refusal(document: dict[str, Any]) -> str:
    with pytest.raises(ImportUnreadable) as refused:
        read_document(json.dumps(document).encode())
    return refused.value.message


def test_every_branch_is_exported_under_names_of_its_own(world: ExportWorld) -> None:
    document = exported(world, plant(world))

    assert (document["format"], document["version"]) == ("tertulia.conversation", 1)
    assert [one["ref"] for one in document["rounds"]] == ["r1", "r2", "r3"]
    assert [one["parent"] for one in document["rounds"]] == [None, "m1", "m1"]
    assert document["head"] == "r3"
    assert document["rounds"][0]["replies"][1]["continues"] == "m2"
    assert "_01" not in json.dumps(document), "an id of ours means nothing elsewhere"


def test_a_reply_under_way_is_exported_as_far_as_it_was_heard(world: ExportWorld) -> None:
    (running,) = exported(world, plant(world))["rounds"][1]["replies"]
    assert (running["status"], running["content"]) == ("interrupted", "It helps")


def test_an_import_belongs_to_whoever_imports_it(world: ExportWorld) -> None:
    document = read_document(planted_json(world))

    copy = world.write(lambda tx: import_conversation(tx, document, log=world.log), by=world.ben)

    assert (copy.owner_id, copy.workspace_id) == (world.ben.user_id, world.ben.workspace_id)
    assert (copy.origin, copy.title, copy.round_count) == (Origin.IMPORT, "Tides", 3)
    with pytest.raises(NotFound):
        export_world.exported(world, copy.id)


def test_a_viewer_imports_nothing(world: ExportWorld) -> None:
    document = read_document(planted_json(world))
    viewer = Principal(world.ben.user_id, world.ben.workspace_id, Role.VIEWER)
    with pytest.raises(NotAllowed):
        world.write(lambda tx: import_conversation(tx, document, log=world.log), by=viewer)


def test_an_import_into_a_foreign_project_leaves_nothing_behind(world: ExportWorld) -> None:
    document = read_document(planted_json(world))
    foreign = world.read(lambda tx: tx.value("SELECT id FROM projects WHERE workspace_id = :workspace"))

    with pytest.raises(NotFound):
        world.write(
            lambda tx: import_conversation(tx, document, log=world.log, project_id=foreign), by=world.ben
        )
    count = "SELECT count(*) FROM conversations WHERE workspace_id = :workspace"
    assert world.read(lambda tx: tx.value(count), by=world.ben) == 0


#: Of a reply, as exports have it.
USAGE = {"input": 1, "output": 1, "cached": 0}


def put(document: Any, path: str, value: Any) -> None:
    """Set one place of a document."""
    *way, last = [int(part) if part.isdigit() else part for part in path.split(".")]
    for part in way:
        document = document[part]
    document[last] = value


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        ("version", 2, "version 1"),
        ("format", "something.else", "not a conversation"),
        ("head", "r9", "no round r9"),
        ("head", None, "head"),
        ("rounds.1.parent", "m99", "r2: its parent m99"),
        ("rounds.0.parent", "m4", "r1: its parent m4"),
        ("rounds.1.ref", "r1", "r1: this name is given twice"),
        ("rounds.0.replies.0.continues", "m3", "continues itself"),
        ("rounds.0.replies.0.continues", "m1", "no reply of its round"),
        ("rounds.1.policy", "chosen", "must be a reply"),
        (
            "rounds.0.replies.0.status",
            "running",
            "rounds.0.replies.0.status: must be 'done', 'stopped', 'interrupted' or 'failed'.",
        ),
        ("rounds.0.replies.0.cost", -1, "rounds.0.replies.0.cost: must be at least 0."),
        ("rounds.0.replies.0.surprise", 1, "surprise: is not known here; check its spelling."),
        ("rounds.0.replies.0.usage", USAGE | {"reasoning": 1}, "usage.reasoning: is not known here"),
        ("rounds.0.replies.0.usage", "much", "usage: must be an object."),
        (
            "rounds.0.replies.0.error",
            {"code": "x", "message": "x", "retry_after": 1},
            "error.retry_after: is not",
        ),
        ("rounds.0.replies.0.content", 7, "content: must be text."),
        ("rounds.0.created_at", "yesterday", "rounds.0.created_at: must be a date and time"),
        ("created_at", "2026-01-01T00:00:00", "created_at"),
        ("rounds.0.question.attachments.0.data", "!", "base64"),
        ("rounds.0.question.attachments.0.data", "PHN2Zz4=", "PNG"),
        ("rounds.0.question.attachments.0.mime", "text/html", "image/png"),
    ],
)
def test_what_is_wrong_with_a_file_is_said_with_its_place(
    world: ExportWorld, path: str, value: Any, said: str
) -> None:
    document = exported(world, plant(world))
    put(document, path, value)
    told = refusal(document)
    assert said in told
    assert not re.search("Input|keyword|ReplyStatus", told), "words of the validator"


def test_a_picture_too_large_is_refused_before_it_is_decoded(world: ExportWorld) -> None:
    document = exported(world, plant(world))
    document["rounds"][0]["question"]["attachments"][0]["data"] = "A" * 8_000_000
    assert "5 MB" in refusal(document)


def test_pictures_come_back_whole(world: ExportWorld) -> None:
    document = read_document(planted_json(world))
    world.write(lambda tx: import_conversation(tx, document, log=world.log), by=world.ben)
    data = "SELECT data FROM attachments WHERE workspace_id = :workspace"
    assert world.read(lambda tx: tx.value(data), by=world.ben) == PNG + b"moon"
