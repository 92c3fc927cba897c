"""What is written into the index of words for a chunk."""

import re

from tertulia.core.stop_words import STOP_WORDS
from tertulia.retrieval.full_text_index import FullTextRow
from tertulia.retrieval.index_words import INDEX_WORD_PATTERN, list_letter_pairs, list_name_parts
from tertulia.retrieval.search_scope import scope_terms
from tertulia.retrieval.sources import IndexedSource

#: A word that is no part of a name or path.
SINGLE_WORD_PATTERN = re.compile(r"(?<![\w./:@-])[^\W\d_]{1,12}(?![\w/:@-]|\.\w)")
#: A capital letter or digit inside a word: without one, no word has parts.
INNER_CAPITAL_PATTERN = re.compile(r"[A-Z0-9](?<=[A-Za-z0-9].)")


def full_text_row(source: IndexedSource, chunk: int, *, context: str, content: str) -> FullTextRow:
    """Return a chunk as the index of words takes it."""
    terms = scope_terms(
        workspace_id=source.workspace_id,
        project_id=source.project_id,
        conversation_id=source.conversation_id,
        owner_id=source.owner_id,
        kind=source.kind,
    )
    return FullTextRow(chunk, thin_out_stop_words(content), search_keys(source, context, content), terms)


def thin_out_stop_words(content: str) -> str:
    """Return a text with each stop word once: nobody is found by how often it says “the”.

    Within names and paths they stay, for those are looked for as they are written.
    """
    seen: set[str] = set()

    def keep_first(found: re.Match[str]) -> str:
        word = found[0].lower()
        if word in seen:
            return ""
        if word in STOP_WORDS:
            seen.add(word)
        return found[0]

    return SINGLE_WORD_PATTERN.sub(keep_first, content)


def search_keys(source: IndexedSource, context: str, content: str) -> str:
    """Return further words under which a chunk is found: path, headings, speaker, parts of names."""
    path = " ".join(INDEX_WORD_PATTERN.findall(source.path))
    keys = [path, " ".join(list_name_parts(path)), context, source.speaker.removeprefix("agent:")]
    # Most text has no such word, and one look at all of it is quicker than one at each word.
    parts = list_name_parts(content) if INNER_CAPITAL_PATTERN.search(content) else []
    pairs = list_letter_pairs(f"{path} {context} {content}")
    return " ".join([key for key in keys if key] + parts + pairs)
