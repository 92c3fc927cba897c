"""Which files the output of a run may quote."""

from tertulia.files.mentions import find_mentions
from tertulia.tools.python.code_runner import CodeRun


def find_quoted_files(ran: CodeRun) -> frozenset[str]:
    """Return the ids of the files that the code read, and of those that its output names."""
    outcome, table = ran.outcome, ran.outcome.table
    cells = [*table.columns, *(cell for row in table.rows for cell in row)] if table else []
    output = "\n".join([ran.printed, outcome.value, outcome.error, *cells])
    return ran.opened | {file.id for file in find_mentions(output, ran.mount.files)}
