"""Files that models are shown without being looked for: those always in context, and those named with `#`."""

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from tertulia.context.domain import AbsentFile, RecalledPassage
from tertulia.context.prompt_plan import WhyNot
from tertulia.conversations.domain import Passage
from tertulia.conversations.message_pictures import PICTURE_MAX_BYTES
from tertulia.core.principal import Principal
from tertulia.files import attachments
from tertulia.files.attachments import find_ignoring_case, find_in_conversation
from tertulia.files.domain import File
from tertulia.files.extract.file_kinds import Media
from tertulia.files.service import Files
from tertulia.infra.db import Tx
from tertulia.models.calls import MODEL_IMAGE_TYPES, Image
from tertulia.models.prompt_frames import truncate_at_line_end
from tertulia.models.tokens import count

#: `#docs/api.md`: a path after a number sign, up to a space; `#"a plan.md"` with what stands in the quotes.
#: Before the sign may stand a space, a bracket, a quotation mark, a mark of Markdown, or what ends a clause.
#: It begins with the sign itself, which a long text is searched for at once, and then looks back.
FILE_MENTION = re.compile(
    r"""#(?<![^\s(\[{<"'*_`,;:“”„«»\u2039\u203a「『\u2018\u2019\u201a\u2013\u2014\uff08\uff0c\u3001\uff1a]#)"""
    r"""(?:"([^"\r\n]+)"|([^\s#]+))"""
)
#: What ends a sentence, a bracket or a quotation rather than a path.
MENTION_END_CHARS = (
    ".,;:!?)]}>\"'*_`…“”«»\u2039\u203a」』。\u2018\u2019\uff09\uff0c\u3001\uff1a\uff1b\uff01\uff1f"
)
#: So many signs at the end of a path are tried one by one: `#plan(1))` may mean `plan(1)`.
MENTION_ENDINGS_MAX = 4
#: What can only be meant as a path: `#12` and `#todo` may be something else.
PATH_LIKE = re.compile(r"[^/]/[^/]|\.\w*[^\W\d]")
INCLUDED_FILES_MAX = 20
#: So many that are always in context are heard of; it is said of them that there are too many.
ALWAYS_IN_CONTEXT_FILES_MAX = 200
#: Characters that all of them together are read for: each prompt takes of these what it has room for.
INCLUDED_FILES_MAX_CHARS = 120_000


@dataclass(frozen=True, slots=True)
class IncludedFiles:
    """Texts and pictures that come with a question, always or because it names them, and what should have."""

    always: tuple[RecalledPassage, ...] = ()
    named: tuple[RecalledPassage, ...] = ()
    images: tuple[Image, ...] = ()
    absent: tuple[AbsentFile, ...] = ()


@dataclass(frozen=True, slots=True)
class FileMention:
    """Something that a question names: one of these paths."""

    paths: tuple[str, ...]
    is_quoted: bool = False

    @property
    def is_path(self) -> bool:
        """Tell whether it can only be meant as a path, so that there ought to be such a file."""
        return self.is_quoted or PATH_LIKE.search(self.paths[-1]) is not None


@dataclass(frozen=True, slots=True)
class RequestedFiles:
    """The files that come with a question, and the paths that it names in vain."""

    named: list[File]
    always: list[File]
    unknown: list[str]


async def load_included_files(wanted: RequestedFiles, *, files: Files, by: Principal) -> IncludedFiles:
    """Return what can be shown of the files that come with a question."""
    reader = IncludedFilesReader(
        files, by, [AbsentFile(path, WhyNot.NO_SUCH_FILE) for path in wanted.unknown]
    )
    for file in wanted.named:
        await reader.add(file, always=False)
    for file in wanted.always:
        await reader.add(file, always=True)
    return IncludedFiles(
        tuple(reader.always), tuple(reader.named), tuple(reader.images), tuple(reader.absent)
    )


@dataclass(slots=True)
class IncludedFilesReader:
    """Takes files up one by one, and notes those of which nothing can be shown."""

    files: Files
    by: Principal
    absent: list[AbsentFile]
    always: list[RecalledPassage] = field(default_factory=list[RecalledPassage])
    named: list[RecalledPassage] = field(default_factory=list[RecalledPassage])
    images: list[Image] = field(default_factory=list[Image])
    chars_left: int = INCLUDED_FILES_MAX_CHARS
    count: int = 0

    async def add(self, file: File, *, always: bool) -> None:
        """Take up what can be shown of a file."""
        self.count += 1
        if self.chars_left <= 0 or self.count > INCLUDED_FILES_MAX:
            self._add_absent(file, WhyNot.NO_ROOM, always=always)
        elif file.media is Media.IMAGE:
            await self._add_picture(file, always=always)
        elif text := await read_file_passage(file, max_chars=self.chars_left, files=self.files, by=self.by):
            (self.always if always else self.named).append(text)
            self.chars_left -= len(text.text)
        else:
            self._add_absent(file, WhyNot.NO_TEXT, always=always)

    async def _add_picture(self, file: File, *, always: bool) -> None:
        if file.local_only:
            self._add_absent(file, WhyNot.LOCAL_ONLY, always=always)
        elif file.size > PICTURE_MAX_BYTES or file.mime not in MODEL_IMAGE_TYPES:
            self._add_absent(file, WhyNot.NO_TEXT, always=always)
        else:
            with await self.files.contents.open(file.hash, by=self.by) as stream:
                self.images.append(Image(file.mime, await asyncio.to_thread(stream.read)))

    def _add_absent(self, file: File, reason: WhyNot, *, always: bool) -> None:
        self.absent.append(AbsentFile(file.path, reason, file.id, file.project_id, always))


def find_mentions(question: str) -> list[FileMention]:
    """Return what a question names with `#`."""
    named: dict[FileMention, None] = {}
    for quoted, plain in (found.groups() for found in FILE_MENTION.finditer(question)):
        mention = (
            FileMention((quoted,), is_quoted=True) if quoted else FileMention(possible_mention_paths(plain))
        )
        named[mention] = None
        if len(named) == INCLUDED_FILES_MAX:
            break
    return list(named)


def possible_mention_paths(words: str) -> tuple[str, ...]:
    """Return the paths that words after a number sign may be: as they stand, or without what ends there."""
    inner = words.rstrip(MENTION_END_CHARS)
    ends = range(len(words), len(inner), -1)[:MENTION_ENDINGS_MAX]
    return (*(words[:end] for end in ends), *filter(None, [inner]))


def find_requested_files(
    tx: Tx, project_id: str | None, conversation_id: str | None, mentions: Sequence[FileMention]
) -> RequestedFiles:
    """Return the files that are named, those that are always shown and not named anyway, and what is none."""

    def meant(mention: FileMention) -> File | None:
        exact = (find_in_conversation(tx, project_id, conversation_id, path) for path in mention.paths)
        if (file := next(filter(None, exact), None)) or not mention.is_path:
            return file
        return find_ignoring_case(tx, project_id, conversation_id, mention.paths)

    found = {mention: meant(mention) for mention in mentions}
    named = {file.id: file for file in found.values() if file}
    always = attachments.list_always_in_context(
        tx, project_id, conversation_id, limit=ALWAYS_IN_CONTEXT_FILES_MAX
    )
    return RequestedFiles(
        named=list(named.values()),
        always=[file for file in always if file.id not in named],
        unknown=[mention.paths[-1] for mention, file in found.items() if file is None and mention.is_path],
    )


async def read_file_passage(
    file: File, *, max_chars: int, files: Files, by: Principal
) -> RecalledPassage | None:
    """Return the text of a file, or of a long one its beginning; None where it has none."""
    file, text, goes_on = await read_first_chars(file, max_chars=max_chars, files=files, by=by)
    if not text.strip():
        return None
    kept = truncate_at_line_end(text, max_chars)
    passage = Passage(
        number=0,
        kind="file",
        source_id=file.id,
        project_id=file.project_id,
        start_char=0,
        end_char=len(kept),
        tokens=await asyncio.to_thread(count, kept, ""),
        path=file.path,
        start_line=1,
        end_line=kept.count("\n") + (not kept.endswith("\n")),
    )
    return RecalledPassage(
        passage,
        kept.rstrip("\n"),
        hint=file.summary,
        local_only=file.local_only,
        is_included_file=True,
        goes_on=goes_on or len(kept) < len(text),
    )


async def read_first_chars(
    file: File, *, max_chars: int, files: Files, by: Principal
) -> tuple[File, str, bool]:
    """Return a file, at least so many characters of its text from the beginning, and whether it goes on."""
    text, goes_on = "", True
    while goes_on and len(text) < max_chars:
        file, lines = await files.read_file_lines(file, start=text.count("\n") + 1, end=None, by=by)
        if lines is None:
            return file, "", False
        text += lines.content
        # The rest of an endless line cannot be asked for by its number.
        goes_on = lines.truncated
        if not text.endswith("\n"):
            break
    return file, text, goes_on
