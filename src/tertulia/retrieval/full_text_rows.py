"""What is written into the index of words for a chunk."""

import re

from tertulia.core.stop_words import STOP_WORDS
from tertulia.retrieval.full_text_index import FullTextRow
from tertulia.retrieval.index_words import INDEX_WORD_PATTERN, list_letter_pairs, list_name_parts
from tertulia.retrieval.search_scope import scope_terms
from tertulia.retrieval.sources import IndexedSource, SourceKind

#: Stop words of one language that tell something in another.
TELLING_STOP_WORD_TEXT = "bin comment con den die hat mit par pour sin son sur war"
UNINDEXED_WORDS = STOP_WORDS.difference(TELLING_STOP_WORD_TEXT.split())
#: A word that is no part of a name or path.
SINGLE_WORD_PATTERN = re.compile(r"(?<![\w./:@-])[^\W\d_]{1,12}(?![\w/@-]|[.:]\w)")
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
    keys = search_keys(source, indexed_context(source, context), content)
    return FullTextRow(chunk, drop_stop_words(content), keys, terms)


def drop_stop_words(text: str) -> str:
    """Return a text without its stop words, for no query asks for them beside others; all where none is left.

    Within names and paths they stay, for those are looked for as they are written.
    """
    telling = SINGLE_WORD_PATTERN.sub(
        lambda found: "" if found[0].lower() in UNINDEXED_WORDS else found[0], text
    )
    return telling if INDEX_WORD_PATTERN.search(telling) else text


def indexed_context(source: IndexedSource, context: str) -> str:
    """Return further words under which a chunk is found: headings, or of a message, its title and question.

    Of those the stop words are left out, each of which would stand with every reply once more.
    """
    return drop_stop_words(context) if source.kind is SourceKind.MESSAGE else context


def search_keys(source: IndexedSource, context: str, content: str) -> str:
    """Return further words under which a chunk is found: path, headings, speaker, parts of names.

    Of scripts without spaces each two letters are a word.
    """
    path = " ".join(INDEX_WORD_PATTERN.findall(source.path))
    keys = [path, " ".join(list_name_parts(path)), context, source.speaker.removeprefix("agent:")]
    # Most text has no such word, and one look at all of it is quicker than one at each word.
    parts = list_name_parts(content) if INNER_CAPITAL_PATTERN.search(content) else []
    pairs = list_letter_pairs(f"{path} {context} {content}")
    return " ".join([key for key in keys if key] + parts + pairs)
