"""One of several processes that serve together: `python -m tertulia.cli.serve_worker ORDERS`."""

import sys

import msgspec

from tertulia.cli.exit_codes import EXIT_FAILED
from tertulia.cli.output import print_to_stderr
from tertulia.cli.serve import ServeOrders
from tertulia.core.errors import TertuliaError
from tertulia.infra.child.worker_group import GroupLine
from tertulia.server import serve_in_group
from tertulia.settings import Settings


def main(text: str) -> int:
    """Serve as the orders say, and return an exit code."""
    orders = msgspec.json.decode(text, type=ServeOrders)
    try:
        serve_in_group(
            Settings.from_env(),
            host=orders.host,
            port=orders.port,
            line=GroupLine(orders.line),
            greets=orders.greets,
        )
    except TertuliaError as error:
        print_to_stderr(str(error))
        return EXIT_FAILED
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
