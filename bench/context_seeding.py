"""A project with files and one long conversation in it, as years of use leave them behind."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from bench.retrieval_text import Writer
from bench.seeding import Seeded, add_round, closed_reply, seed_person
from tertulia.context.domain import RecalledPassage, RecallResult
from tertulia.conversations import marks, rounds, store
from tertulia.conversations.domain import (
    USER_SPEAKER,
    Anchor,
    Mark,
    Message,
    Passage,
    Reply,
    ReplyStatus,
    Round,
)
from tertulia.core.clock import now
from tertulia.core.ids import new_id
from tertulia.files import file_writer
from tertulia.files.spool import ContentInspector
from tertulia.infra.db import Tx
from tertulia.infra.db.sqlite.database import SqliteDatabase
from tertulia.memory import summaries
from tertulia.memory.domain import Point, PointKind, Summary
from tertulia.projects import store as projects

#: Rounds that are not compressed, and those of them that no summary covers yet.
KEPT, FRESH = 40, 5
#: About as many points of this length as a summary keeps.
POINTS = 375
#: So many messages are pinned, and as many left out.
MARKED = 20
FOUND, ALWAYS = 20, 2
#: Tokens that what was found may take.
BUDGET = 1_500
FOLDERS = 20


@dataclass(frozen=True, slots=True)
class Stage:
    """A conversation whose last question waits for its replies, one by each model."""

    seeded: Seeded
    replies: dict[str, Reply]
    writer: Writer

    def memory(self) -> RecallResult:
        """Return what a search might have found: other passages each time."""
        found = [recalled(number, text) for number, text in enumerate(self.writer.texts(FOUND + ALWAYS))]
        return RecallResult(always=tuple(found[:ALWAYS]), found=tuple(found[ALWAYS:]), budget=BUDGET)


async def seed_stage(data_dir: Path, *, messages: int, files: int, models: Sequence[str]) -> Stage:
    """Make a data directory with a project of so many files, and a conversation of so many messages."""
    seeded = await seed_person(data_dir)
    writer = Writer.seeded(messages)
    db = SqliteDatabase(data_dir / "tertulia.db")

    def write(tx: Tx) -> list[Reply]:
        project = projects.add(tx, "Bench")
        add_files(tx, project, writer.texts(files))
        return add_talk(tx, project, pairs(writer, messages // 2), models)

    try:
        replies = await db.write(write, by=seeded.principal)
    finally:
        db.close()
    return Stage(seeded, {reply.model: reply for reply in replies}, writer)


def add_files(tx: Tx, project_id: str, texts: Iterator[str]) -> None:
    """Add files in folders, as uploads leave them."""
    for number, text in enumerate(texts):
        look = ContentInspector()
        look.inspect(text.encode())
        new = file_writer.FileWrite(look.to_received(data=text.encode(), path=None), blob=None)
        file_writer.save_at(tx, project_id, f"part{number % FOLDERS}/chapter{number}.md", new)


def pairs(writer: Writer, count: int) -> Iterator[tuple[str, str]]:
    """Write questions and answers, a topic for each."""
    for _ in range(count):
        asked, answered = writer.texts(2)
        yield asked[: len(asked) // 3], answered


def add_talk(tx: Tx, project_id: str, texts: Iterator[tuple[str, str]], models: Sequence[str]) -> list[Reply]:
    """Add rounds, what is summarised and marked of them, and replies that wait to be written."""
    conversation = store.add(tx, project_id=project_id, anchor=Anchor.WORKSPACE, title="A long talk")
    path: list[tuple[Round, Message]] = []
    for number, (asked, answered) in enumerate(texts, start=1):
        before = path[-1] if path else None
        path.append(add_round(tx, conversation, number, before, asked=asked, answered=answered))
    last = path[-1][0]
    store.change(tx, conversation.id, head_id=last.id, round_count=len(path))
    add_summary(tx, path)
    add_marks(tx, [question for _, question in path])
    waiting = [
        replace(closed_reply(last), lane=model, model=model, status=ReplyStatus.QUEUED) for model in models
    ]
    rounds.add_replies(tx, waiting)
    return waiting


def add_summary(tx: Tx, path: Sequence[tuple[Round, Message]]) -> None:
    """Add a summary of all but the last rounds that leaves most of them to its points."""
    covered = path[:-FRESH]
    told = covered[:: max(1, len(covered) // POINTS)][-POINTS:]
    last = covered[-1][0]
    summaries.add_summary(
        tx,
        Summary(
            id=new_id("sum"),
            workspace_id=last.workspace_id,
            conversation_id=last.conversation_id,
            round_id=last.id,
            round_number=last.number,
            watermark=max(0, len(path) - KEPT),
            points=[point(*one) for one in enumerate(told)],
            made_by="extractive",
            created_at=now(),
            undone_at=None,
        ),
    )


def point(number: int, said: tuple[Round, Message]) -> Point:
    """Return a point taken from a question."""
    kinds = list(PointKind)
    round_, question = said
    text = question.content[:100]
    return Point(kinds[number % len(kinds)], text, [question.id], [round_.number], [USER_SPEAKER])


def add_marks(tx: Tx, questions: Sequence[Message]) -> None:
    """Pin some questions and leave some out, all over the conversation."""
    step = max(2, len(questions) // MARKED)
    for mark, first in ((Mark.PINNED, 0), (Mark.EXCLUDED, 1)):
        for question in questions[first:-1:step][:MARKED]:
            marks.add_mark(tx, question, mark)


def recalled(number: int, text: str) -> RecalledPassage:
    """Return a text as a passage of a file."""
    passage = Passage(
        number=0,
        kind="file",
        source_id=f"fil_{number}",
        project_id=None,
        start_char=0,
        end_char=len(text),
        tokens=len(text) // 4,
        path=f"found/{number}.md",
        start_line=1,
        end_line=20,
    )
    return RecalledPassage(passage, text, hint=text[:80], is_readable=True)
