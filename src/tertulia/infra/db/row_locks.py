"""Locks on rows that several processes want at the same moment.

Each is written at the end of a query. Where there is only one writer it is a comment; PostgreSQL is given the
clause itself.
"""

#: For the query that chooses rows to claim: nobody waits for a row that another just takes.
SKIP_LOCKED = "/* FOR UPDATE SKIP LOCKED */"
#: For a query whose rows must stay as they are until the commit.
FOR_SHARE = "/* FOR SHARE */"
