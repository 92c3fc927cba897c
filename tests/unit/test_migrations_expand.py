"""While processes of two versions share a database, its schema only grows.

A version adds (expand); what no process uses any more goes a version later (contract).
"""

import re

import pytest

from tertulia.infra.db.postgres.migration import load_migrations

#: What takes away or changes what processes of the version before still use.
CONTRACTION_PATTERN = re.compile(
    r"""\bDROP\s+(?:TABLE|COLUMN|VIEW)\b
    | \bRENAME\s+(?:TO|COLUMN)\b
    | \bALTER\s+COLUMN\s+\w+\s+(?:SET\s+DATA\s+)?TYPE\b
    | \bSET\s+NOT\s+NULL\b
    | \bADD\s+COLUMN\s+\w+\s+\w+\s+NOT\s+NULL(?!\s+DEFAULT)""",
    re.IGNORECASE | re.VERBOSE,
)
#: Migrations that take away what the version before this one no longer used.
CONTRACTIONS: frozenset[int] = frozenset()

AFTER_THE_BASELINE = load_migrations()[1:]


def find_contraction(script: str) -> str | None:
    """Return the first words by which a migration takes something away."""
    found = CONTRACTION_PATTERN.search(re.sub(r"--.*", "", script))
    return found and found[0]


@pytest.mark.parametrize(
    "script",
    [
        "ALTER TABLE runs DROP COLUMN lease_until;",
        "DROP TABLE deletions;",
        "ALTER TABLE runs RENAME COLUMN a TO b;",
        "ALTER TABLE runs RENAME TO replies;",
        "ALTER TABLE runs ALTER COLUMN a TYPE BIGINT;",
        "ALTER TABLE runs ALTER COLUMN a SET NOT NULL;",
        "ALTER TABLE runs ADD COLUMN a BIGINT NOT NULL;",
    ],
)
def test_what_takes_something_away_is_noticed(script: str) -> None:
    assert find_contraction(script)


@pytest.mark.parametrize(
    "script",
    [
        "CREATE TABLE notes (id TEXT NOT NULL);",
        "ALTER TABLE runs ADD COLUMN a BIGINT;",
        "ALTER TABLE runs ADD COLUMN a BIGINT NOT NULL DEFAULT 0;",
        "-- DROP TABLE runs comes later.\nCREATE INDEX runs_by_a ON runs (a);",
    ],
)
def test_what_adds_something_is_allowed(script: str) -> None:
    assert find_contraction(script) is None


def test_migrations_leave_the_version_before_what_it_uses() -> None:
    found = {number: find_contraction(script) for number, script in AFTER_THE_BASELINE}
    assert [number for number, words in found.items() if words and number not in CONTRACTIONS] == []
