"""The addresses at which the server listens, taken before anything else of it is built."""

import socket

from tertulia.core.errors import Unavailable


class AddressUnavailable(Unavailable):
    """The server cannot listen where it should."""

    code = "address_unavailable"

    def __init__(self, host: str, port: int, *, reason: str) -> None:
        super().__init__(
            f"The server cannot listen at {host} port {port}: {reason}. Choose another with --host or --port."
        )


def bind_sockets(host: str, port: int) -> list[socket.socket]:
    """Return a socket for each address of a host; none of them listens yet."""
    try:
        found = socket.getaddrinfo(host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        addresses = [(family, address) for family, _, _, _, address in found]
        # A name may have an address of a family that this system was built without.
        usable = [(family, address) for family, address in addresses if has_family(family)]
        return [bind_socket(family, address) for family, address in usable or addresses]
    except OSError as error:
        raise AddressUnavailable(host, port, reason=error.strerror or str(error)) from error
    except UnicodeError as error:
        raise AddressUnavailable(host, port, reason="No host can have this name") from error


def has_family(family: socket.AddressFamily) -> bool:
    """Tell whether there can be sockets of a family."""
    try:
        socket.socket(family, socket.SOCK_STREAM).close()
    except OSError:
        return False
    return True


def bind_socket(family: socket.AddressFamily, address: tuple[str | int | bytes, ...]) -> socket.socket:
    """Return a socket that has an address for itself, also right after another server had it."""
    bound = socket.socket(family, socket.SOCK_STREAM)
    try:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            bound.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        bound.bind(address)
    except OSError:
        bound.close()
        raise
    return bound
