"""The command line.

serve; user, token, backup, reclaim and doctor work on the data directory; ask, chat,
approve, models, search, files, context, reindex, eval, export and import are plain
clients of a server, here or elsewhere.
Every command is a file that is read only when it is called.
"""

import sys


def main() -> None:
    """Run the command that was typed."""
    from tertulia.cli.commands import root  # noqa: PLC0415 - so that importing the package costs nothing
    from tertulia.core.errors import TertuliaError  # noqa: PLC0415 - see above

    try:
        root(prog_name="tertulia")
    except TertuliaError as error:
        sys.exit(error.message)
    except OSError as error:
        sys.exit(f"{error.filename or 'tertulia'}: {error.strerror or error}.")
