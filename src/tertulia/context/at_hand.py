"""Files that models are shown without being looked for: those always in context, and those named with `#`."""

import asyncio
import re
from dataclasses import dataclass

from tertulia.context.domain import Recalled
from tertulia.conversations.attachments import LARGEST
from tertulia.conversations.domain import Passage
from tertulia.core.principal import Principal
from tertulia.files import store
from tertulia.files.domain import File
from tertulia.files.extract.media import Media
from tertulia.files.service import Files
from tertulia.infra.db import Database, Tx
from tertulia.models.calls import Image
from tertulia.models.tokens import count

#: `#docs/api.md`: a path after a number sign, up to a space; `#"a plan.md"` with what stands in the quotes.
NAMED = re.compile(r'(?:^|(?<=\s))#(?:"([^"\r\n]+)"|([^\s#]+))')
#: What ends a sentence rather than a path.
SENTENCE_ENDS = ".,;:!?)"
MOST_FILES = 20
MOST_LINES = 400
#: Tokens that all of them together may take.
BUDGET = 6_000
SEEN_BY_MODELS = ("image/png", "image/jpeg", "image/gif", "image/webp")


@dataclass(frozen=True, slots=True)
class AtHand:
    """Texts and pictures that come with a question: always, or because it names them."""

    always: tuple[Recalled, ...] = ()
    named: tuple[Recalled, ...] = ()
    images: tuple[Image, ...] = ()


async def files_at_hand(
    question: str, project_id: str | None, *, files: Files, db: Database, by: Principal
) -> AtHand:
    """Return the files that are always in context, and those that a question names, as far as they fit."""
    if project_id is None:
        return AtHand()
    paths = named_in(question)
    named, always = await db.read(lambda tx: wanted(tx, project_id, paths), by=by)
    texts: dict[str, Recalled] = {}
    images: list[Image] = []
    left = BUDGET
    for file in [*named, *always]:
        if file.media is Media.IMAGE:
            images += await picture_of(file, files=files, by=by)
        elif left > 0 and (text := await text_of(file, budget=left, files=files, by=by)):
            texts[file.id] = text
            left -= text.passage.tokens
    return AtHand(
        always=tuple(texts[file.id] for file in always if file.id in texts),
        named=tuple(texts[file.id] for file in named if file.id in texts),
        images=tuple(images),
    )


def named_in(question: str) -> list[str]:
    """Return the paths that a question names with `#`: as they stand, and without what may end a sentence."""
    named: list[str] = []
    for quoted, plain in NAMED.findall(question):
        named += [quoted] if quoted else [plain, plain.rstrip(SENTENCE_ENDS)]
    return list(dict.fromkeys(filter(None, named)))[: 2 * MOST_FILES]


def wanted(tx: Tx, project_id: str, paths: list[str]) -> tuple[list[File], list[File]]:
    """Return the files that are named, and those that are always shown and not named anyway."""
    found = [file for path in paths if (file := store.at(tx, project_id, path))]
    named = list({file.id: file for file in found}.values())[:MOST_FILES]
    ids = {file.id for file in named}
    always = store.always_in_context(tx, project_id, limit=MOST_FILES)
    return named, [file for file in always if file.id not in ids][: MOST_FILES - len(named)]


async def picture_of(file: File, *, files: Files, by: Principal) -> list[Image]:
    """Return a picture for models that see; one that they do not take is left out."""
    if file.size > LARGEST or file.mime not in SEEN_BY_MODELS or file.local_only:
        return []
    with await files.contents.open(file.hash, by=by) as stream:
        return [Image(file.mime, await asyncio.to_thread(stream.read))]


async def text_of(file: File, *, budget: int, files: Files, by: Principal) -> Recalled | None:
    """Return the beginning of a file's text, as many whole lines as fit."""
    file, lines = await files.lines(file, start=1, end=MOST_LINES, by=by)
    if lines is None or not lines.content.strip():
        return None
    kept, tokens = await asyncio.to_thread(whole_lines, lines.content, budget)
    if not kept:
        return None
    passage = Passage(
        number=0,
        kind="file",
        source_id=file.id,
        project_id=file.project_id,
        start_char=0,
        end_char=len(kept),
        tokens=tokens,
        path=file.path,
        start_line=1,
        end_line=kept.count("\n") + (not kept.endswith("\n")),
    )
    return Recalled(passage, kept.rstrip("\n"), summary=file.summary, local_only=file.local_only)


def whole_lines(text: str, budget: int) -> tuple[str, int]:
    """Return as many whole lines as fit a number of tokens, and how many tokens they have."""
    lines = text.splitlines(keepends=True)
    while lines:
        kept = "".join(lines)
        tokens = count(kept, "")
        if tokens <= budget:
            return kept, tokens
        lines = lines[: min(len(lines) - 1, len(lines) * budget // tokens)]
    return "", 0
