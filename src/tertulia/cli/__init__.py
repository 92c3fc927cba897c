"""The command line.

serve; user, token, backup, reclaim and doctor work on the data directory; ask, chat,
approve, models, search, files, context, reindex, eval, export and import are plain
clients of a server, here or elsewhere.
Every command is a file that is read only when it is called.
"""

import sys


def main() -> None:
    """Run the command that was typed."""
    from tertulia.cli.program import run_program

    sys.exit(run_program(sys.argv[1:]))
