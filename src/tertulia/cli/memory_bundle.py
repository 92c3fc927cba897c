"""Memories in a file: a line of JSON for each, which another server can read back."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import BinaryIO

import msgspec

from tertulia.cli.client import ApiClient
from tertulia.cli.errors import FileUnreadable, ServerRefused
from tertulia.cli.memory_choice import list_memories
from tertulia.cli.memory_text import memories_counted
from tertulia.cli.output import ProgressCallback, print_to_stderr
from tertulia.core.json_object import JsonObject
from tertulia.memories.domain import MemoryStatus, MemoryType

KEPT_MEMORY_STATUSES = tuple(status for status in MemoryStatus if status is not MemoryStatus.REJECTED)
EXPORTED_MEMORY_FIELDS = (
    "id",
    "type",
    "category",
    "content",
    "confidence",
    "pinned",
    "local_only",
    "status",
    "made_by",
    "created_at",
    "superseded_by",
    "evidence",
)
#: What a memory says until it is archived: it takes the place of nothing that holds.
MEMORY_DRAFT_TEXT = "…"
#: The server has read a memory and does not take it; the next one may be better.
MEMORY_REFUSED_STATUSES = (400, 409, 413, 422)


class QuotedMessage(msgspec.Struct, frozen=True):
    """Where a memory was said, as a file has it."""

    message_id: str
    quote: str


class MemoryRecord(msgspec.Struct, frozen=True):
    """A memory as a file has it; what else a line holds is not read."""

    type: MemoryType
    content: str
    category: str = ""
    confidence: float = 1.0
    pinned: bool = False
    local_only: bool = False
    status: MemoryStatus = MemoryStatus.ACTIVE
    evidence: QuotedMessage | None = None

    @property
    def holds(self) -> bool:
        """Tell whether it may be told to models."""
        return self.status is MemoryStatus.ACTIVE

    @property
    def key(self) -> tuple[str, str]:
        """Return what no two memories that are imported have in common."""
        return self.type, self.content.strip()


@dataclass
class MemoryImport:
    """What has become of the memories of a file."""

    made: list[JsonObject] = field(default_factory=list[JsonObject])
    known_count: int = 0
    archived_count: int = 0
    failed_count: int = 0

    def describe(self) -> str:
        """Say how many were written, were there already, and could not be taken."""
        sentences = {
            f"Imported {memories_counted(len(self.made))}.": True,
            f"Already there: {self.known_count}.": self.known_count,
            f"Archived, since they waited or were replaced: {self.archived_count}.": self.archived_count,
            f"Not taken: {self.failed_count}.": self.failed_count,
        }
        return " ".join(sentence for sentence, applies in sentences.items() if applies)


def list_kept_memories(server: ApiClient, project_id: str | None) -> list[JsonObject]:
    """Return all memories of the caller, or of a project, that were not rejected, the oldest first."""
    wanted = {"project_id": project_id} if project_id else {}
    found = list_memories(server, statuses=KEPT_MEMORY_STATUSES, **wanted)
    return [memory for memory in found if memory["project_id"] == project_id][::-1]


def write_records(memories: Sequence[JsonObject], file: BinaryIO) -> None:
    """Write memories into a file, a line for each."""
    for memory in memories:
        record = {name: memory[name] for name in EXPORTED_MEMORY_FIELDS}
        file.write(json.dumps(record, ensure_ascii=False).encode() + b"\n")


def read_records(content: bytes, name: str) -> tuple[dict[int, MemoryRecord], dict[int, str]]:
    """Return the memories of a file by their lines, and what is wrong with the other lines."""
    records, problems = dict[int, MemoryRecord](), dict[int, str]()
    for number, line in enumerate(content.removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            records[number] = msgspec.json.decode(line, type=MemoryRecord)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            problems[number] = f"{error}."
    if problems and not records:
        number, problem = next(iter(problems.items()))
        raise FileUnreadable(f"{name} holds no memories that can be read. Line {number}: {problem}")
    return records, problems


def import_records(
    server: ApiClient,
    records: dict[int, MemoryRecord],
    *,
    project_id: str | None,
    report_progress: ProgressCallback,
) -> MemoryImport:
    """Write memories that are not there yet; of two that say the same, the one that holds comes first."""
    known = {(memory["type"], memory["content"]) for memory in list_kept_memories(server, project_id)}
    outcome = MemoryImport()
    ordered = sorted(records.items(), key=lambda numbered: not numbered[1].holds)
    for done, (number, record) in enumerate(ordered, 1):
        if record.key in known:
            outcome.known_count += 1
        elif made := import_record(server, record, name=f"Line {number}", project_id=project_id):
            known.add(record.key)
            outcome.made.append(made)
            outcome.archived_count += made["archived"] and record.status is not MemoryStatus.ARCHIVED
        else:
            outcome.failed_count += 1
        report_progress("Importing", done, len(ordered))
    return outcome


def import_record(
    server: ApiClient, record: MemoryRecord, *, name: str, project_id: str | None
) -> JsonObject | None:
    """Write one memory and return it; say why where the server does not take it."""
    try:
        return write_with_evidence(server, record, name=name, project_id=project_id)
    except ServerRefused as error:
        if error.status not in MEMORY_REFUSED_STATUSES:
            raise
        print_to_stderr(f"{name}: {error.message}")
        return None


def write_with_evidence(
    server: ApiClient, record: MemoryRecord, *, name: str, project_id: str | None
) -> JsonObject:
    """Write a memory with its evidence, or without where the words do not stand in a message here."""
    body = msgspec.to_builtins(record) | {"project_id": project_id}
    del body["status"]
    try:
        return write_memory(server, body, holds=record.holds)
    except ServerRefused as error:
        if record.evidence is None or error.status not in MEMORY_REFUSED_STATUSES:
            raise
    made = write_memory(server, body | {"evidence": None}, holds=record.holds)
    print_to_stderr(f"{name}: Its evidence stands in no message of yours here and is left out.")
    return made


def write_memory(server: ApiClient, body: JsonObject, *, holds: bool) -> JsonObject:
    """Write a memory with its own marks, whatever it takes the place of."""
    if not holds:
        return write_archived(server, body)
    made: JsonObject = server.post("/api/memories", body)
    if made["pinned"] != body["pinned"]:
        made = server.put(f"/api/memories/{made['id']}", {"pinned": body["pinned"]})
    return made


def write_archived(server: ApiClient, body: JsonObject) -> JsonObject:
    """Write a memory that is archived from its first word on, and so takes the place of no other."""
    draft = server.post("/api/memories", body | {"content": MEMORY_DRAFT_TEXT})
    address = f"/api/memories/{draft['id']}"
    try:
        made: JsonObject = server.put(address, {"content": body["content"], "archived": True})
    except (ServerRefused, KeyboardInterrupt):
        server.delete(address)
        raise
    if draft_version := made["supersedes"]:
        server.delete(f"/api/memories/{draft_version}")
    return made | {"supersedes": None}
