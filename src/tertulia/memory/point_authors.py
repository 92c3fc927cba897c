"""Who said points, where several people write: what somebody says of themselves nobody else revises."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from tertulia.conversations.first_person import is_own_matter
from tertulia.memory.domain import Point, SourceMessage

#: The people who wrote messages, by the ids of those; empty where one person writes alone.
MessageAuthors = Mapping[str, str]
NO_AUTHORS: MessageAuthors = MappingProxyType({})
#: What they are called, by the ids of their messages.
AuthorNamesByMessage = Mapping[str, str]


def with_authors_of(authors: MessageAuthors, messages: Sequence[SourceMessage]) -> MessageAuthors:
    """Return the authors of earlier and of new messages; none where all are one person's."""
    known = {**authors, **{line.id: line.author_id for line in messages if line.author_id}}
    return known if len(set(known.values())) > 1 else NO_AUTHORS


def name_messages(
    authors: MessageAuthors, messages: Sequence[SourceMessage], names: Mapping[str, str]
) -> AuthorNamesByMessage:
    """Return what the people are called who wrote earlier and new messages, as far as they have a name."""
    known = {**authors, **{line.id: line.author_id for line in messages}}
    return {message: names[author] for message, author in known.items() if author in names}


def authors_of(point: Point, authors: MessageAuthors) -> frozenset[str]:
    """Return the people who said a point; none where that is not known, or a model did."""
    return frozenset(authors[source] for source in point.sources if source in authors)


def owners_of(point: Point, authors: MessageAuthors, *, revision: str = "") -> frozenset[str]:
    """Return the people who alone can revise a point; none where everybody can."""
    is_own = bool(authors) and is_own_matter(point.text, revision)
    return authors_of(point, authors) if is_own else frozenset()


def can_be_revised(point: Point, revision: str, origin: Point, authors: MessageAuthors) -> bool:
    """Tell whether words that come from another point or message can revise a point."""
    owners, revisers = owners_of(point, authors, revision=revision), authors_of(origin, authors)
    return not owners or not revisers or not owners.isdisjoint(revisers)
