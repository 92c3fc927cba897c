"""Where a search looks, and the terms that keep an index of words to it."""

from dataclasses import dataclass

from tertulia.retrieval.sources import ALL_SOURCE_KINDS, SourceKind

#: The term of what every member of a workspace may find.
SHARED_TERM = "oall"


@dataclass(frozen=True, slots=True)
class SearchScope:
    """Where one looks, and what may be seen there."""

    workspace_id: str
    #: Who looks; empty for somebody who owns nothing.
    user_id: str
    project_id: str | None = None
    conversation_id: str | None = None
    kinds: frozenset[SourceKind] = ALL_SOURCE_KINDS
    #: The only sources that count, where filters were set; None for all.
    among: frozenset[int] | None = None
    #: The conversation from which one looks: what others hold that are temporary is not found.
    from_conversation_id: str | None = None

    @property
    def place_term(self) -> str:
        """Return the term of the smallest place that holds all of this reach."""
        if self.conversation_id:
            return scope_term("c", self.conversation_id)
        if self.project_id:
            return scope_term("p", self.project_id)
        return scope_term("w", self.workspace_id)

    @property
    def required_terms(self) -> tuple[str, ...]:
        """Return the terms that every chunk in this reach has."""
        kinds = sorted(map(kind_term, self.kinds))
        return (self.place_term, *kinds) if len(kinds) == 1 else (self.place_term,)

    @property
    def excluded_terms(self) -> tuple[str, ...]:
        """Return the terms that no chunk in this reach has, beside those that every one has."""
        excluded = ALL_SOURCE_KINDS - self.kinds if len(self.kinds) != 1 else ()
        return tuple(sorted(map(kind_term, excluded)))

    @property
    def owner_terms(self) -> tuple[str, ...]:
        """Return the terms of which every chunk that may be seen has one."""
        return (SHARED_TERM, scope_term("o", self.user_id)) if self.user_id else (SHARED_TERM,)


def scope_term(letter: str, thing_id: str) -> str:
    """Return an id as one word that a tokenizer leaves whole."""
    return letter + thing_id.rsplit("_", 1)[-1].lower()


def kind_term(kind: str) -> str:
    """Return the term of all chunks of a kind."""
    return f"k{kind}"


def scope_terms(
    *, workspace_id: str, project_id: str | None, conversation_id: str | None, owner_id: str | None, kind: str
) -> list[str]:
    """Return the words under which a chunk is found only where it belongs."""
    words = [
        scope_term("w", workspace_id),
        kind_term(kind),
        scope_term("o", owner_id) if owner_id else SHARED_TERM,
    ]
    words += [scope_term("p", project_id)] if project_id else []
    words += [scope_term("c", conversation_id)] if conversation_id else []
    return words
