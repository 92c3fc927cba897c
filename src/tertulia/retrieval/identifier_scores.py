"""How well a candidate meets the identifiers of a query: whole, as they are written, best where defined."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from tertulia.retrieval.candidates import Candidate

#: Words after which a name is defined, in one language or another.
DEFINITION_KEYWORDS_REGEX = "(?:def|class|function|func|fn|struct|enum|interface|type|const|let|var)"
#: What an identifier counts that is written but not defined in a text, or written in other case.
MENTIONED_NAME_SCORE = 0.6
OTHER_CASE_NAME_SCORE = 0.45


@dataclass(frozen=True, slots=True)
class QueryIdentifier:
    """An identifier of the query, and how it is looked for."""

    text: str
    whole: re.Pattern[str]
    any_case: re.Pattern[str]
    defined: re.Pattern[str]

    @classmethod
    @lru_cache(maxsize=1024)
    def of(cls, name: str) -> "QueryIdentifier":
        """Return how to look for an identifier."""
        whole = rf"(?<![\w]){re.escape(name)}(?![\w])"
        last = re.escape(re.split(r"\W+", name)[-1])
        return cls(
            text=name,
            whole=re.compile(whole),
            any_case=re.compile(whole, re.IGNORECASE),
            defined=re.compile(rf"\b{DEFINITION_KEYWORDS_REGEX}\s+{last}\b|^{last}\s*[:=]", re.MULTILINE),
        )


def identifier_score(names: Sequence[QueryIdentifier], candidate: Candidate) -> float:
    """Return the share of identifiers that stand in a candidate whole; definitions count most."""
    if not names:
        return 0.0
    text = f"{candidate.path}\n{candidate.context}\n{candidate.content}"
    folded = text.casefold()
    return sum(match_identifier(name, candidate, text, folded) for name in names) / len(names)


def match_identifier(identifier: QueryIdentifier, candidate: Candidate, text: str, folded: str) -> float:
    """Return how well an identifier is met: defined here, written here, or written in other case."""
    # Most names stand in few candidates, and a plain look tells that sooner than a pattern.
    if identifier.text.casefold() not in folded:
        return 0.0
    if identifier.whole.search(text):
        is_defined = identifier.text in candidate.context or identifier.defined.search(candidate.content)
        return 1.0 if is_defined else MENTIONED_NAME_SCORE
    return OTHER_CASE_NAME_SCORE if identifier.any_case.search(text) else 0.0
