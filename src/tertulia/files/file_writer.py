"""Writing a file: a new one, or a new version of one that is there."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from tertulia.files import access, contents, store
from tertulia.files.domain import MEDIA_WITHOUT_TEXT, PLAIN_TEXT_MEDIA, File
from tertulia.files.errors import FileChanged
from tertulia.files.extract.file_kinds import FileKind, Media, detect_kind
from tertulia.files.file_summaries import summarise_text
from tertulia.files.spool import ReceivedFile
from tertulia.infra.db import Tx
from tertulia.projects import access as projects
from tertulia.projects.visibility import find_sole_reader
from tertulia.retrieval import sources
from tertulia.retrieval.sources import NewSource, SourceKind


@dataclass(frozen=True, slots=True)
class FileWrite:
    """Bytes that are to be the file at a path."""

    received: ReceivedFile
    #: Where they lie in the blob store already; None when they are small.
    blob: str | None
    #: The version that the change was made from; 0 when there must be none, None when any will do.
    if_match: int | None = None
    #: Tags and flags, where they are given too.
    metadata: Mapping[str, object] = field(default_factory=dict[str, object])
    keep_versions: int = 100
    #: What is wrong with it, where it is a picture.
    problem: str = ""


def save_at(
    tx: Tx, project_id: str, path: str, new: FileWrite, *, conversation_id: str | None = None
) -> File:
    """Make the bytes the file at a path, of the project or attached to a conversation, new or not."""
    current = access.find_at(tx, projects.get(tx, project_id).id, path, conversation_id=conversation_id)
    check_version(current, new.if_match)
    if current is not None:
        return write_if_changed(tx, current, new)
    store.check_path_free(tx, project_id, path, conversation_id=conversation_id)
    contents.add_content(tx, new.received, blob=new.blob)
    values: dict[str, object] = {"path": path, "conversation_id": conversation_id}
    values |= {**content_columns(new, detect_kind(path, new.received.head)), **new.metadata}
    file = store.add(tx, project_id, values)
    store.add_version(tx, file, keep=new.keep_versions)
    index_file(tx, file)
    return file


def save_new_version(tx: Tx, project_id: str, file_id: str, new: FileWrite) -> File:
    """Make the bytes the newest version of a file."""
    current = access.get(tx, project_id, file_id)
    check_version(current, new.if_match)
    return write_if_changed(tx, current, new)


def write_if_changed(tx: Tx, current: File, new: FileWrite) -> File:
    """Add a version, unless the bytes are those that are there."""
    if current.hash == new.received.hash:
        contents.release_blob(tx, new.blob)
        return change_metadata(tx, current, new.metadata) if new.metadata else current
    contents.add_content(tx, new.received, blob=new.blob)
    values = content_columns(
        new, detect_kind(current.path, new.received.head), is_own_summary=current.summary_is_own
    )
    return write_next_version(tx, current, {**values, **new.metadata}, keep=new.keep_versions)


def write_next_version(tx: Tx, current: File, values: Mapping[str, object], *, keep: int) -> File:
    """Bring a file to its next version and have it indexed anew."""
    file = store.change(tx, current.id, {"version": current.version + 1, **values})
    store.add_version(tx, file, keep=keep)
    index_file(tx, file)
    return file


def change_metadata(tx: Tx, current: File, values: Mapping[str, object]) -> File:
    """Change tags, flags or the summary; the index follows."""
    if "summary" in values:
        values = {**values, "summary_is_own": bool(values["summary"])}
    file = store.change(tx, current.id, values)
    followed = ("retrieval_eligible", "local_only")
    if any(getattr(file, flag) != getattr(current, flag) for flag in followed):
        index_file(tx, file)
    elif file.tags != current.tags:
        sources.set_tags(tx, SourceKind.FILE, file.id, file.tags)
    return file


def content_columns(new: FileWrite, kind: FileKind, *, is_own_summary: bool = False) -> dict[str, object]:
    """Return what the bytes say about themselves; text that must be taken out first is left for later."""
    received = new.received
    is_text = kind.media in PLAIN_TEXT_MEDIA and received.is_clean
    found: dict[str, object] = {
        "hash": received.hash,
        "size": received.size,
        "mime": kind.mime,
        "media": kind.media,
        "text_hash": received.hash if is_text else None,
        "pages": [],
        "problem": new.problem if kind.media is Media.IMAGE else "",
    }
    if not is_own_summary:
        found["summary"] = (
            summarise_text(received.head.decode(errors="ignore"), kind.media) if is_text else ""
        )
    return found


def index_file(tx: Tx, file: File) -> None:
    """Have a file indexed as it is now, or forgotten when it must not be found."""
    if not file.retrieval_eligible or file.media in MEDIA_WITHOUT_TEXT:
        sources.remove_sources(tx, SourceKind.FILE, [file.id])
        return
    new = NewSource(
        SourceKind.FILE,
        file.id,
        file.project_id,
        conversation_id=file.conversation_id,
        owner_id=find_sole_reader(tx, file.conversation_id),
        said_at=file.updated_at,
        path=file.path,
        media=file.media,
        tags=file.tags,
        local_only=file.local_only,
    )
    sources.queue_source(tx, new)


def check_version(current: File | None, if_match: int | None) -> None:
    """Raise `FileChanged` unless the file is at the version that the change was made from."""
    version = current.version if current else 0
    if if_match is not None and if_match != version:
        raise FileChanged(version)
