"""Claims: taking a row that several processes want at the same moment."""

#: Written at the end of the query that chooses rows to claim. Where there is only one writer it is a
#: comment; PostgreSQL is given the clause itself, so that nobody waits for a row that another just takes.
SKIP_LOCKED = "/* FOR UPDATE SKIP LOCKED */"
