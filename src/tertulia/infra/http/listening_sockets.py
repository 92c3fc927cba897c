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


def reserve_port(host: str, port: int) -> list[socket.socket]:
    """Return sockets that keep a port for several processes of ours, and listen to nobody.

    A port that another server has is refused, although it may be one that shares its port, too.
    """
    alone = bind_sockets(host, port)
    chosen: int = alone[0].getsockname()[1]
    for bound in alone:
        bound.close()
    return bind_sockets(host, chosen, is_shared=True)


def bind_sockets(host: str, port: int, *, is_shared: bool = False) -> list[socket.socket]:
    """Return a socket for each address of a host; none of them listens yet.

    Where the port `is_shared`, each process binds its own, and the system gives all of them equal shares of
    new connections: of one socket for all, the quicker ones would take more. Those of one that dies go to
    the others.
    """
    try:
        found = socket.getaddrinfo(host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        addresses = [(family, address) for family, _, _, _, address in found]
        # A name may have an address of a family that this system was built without.
        usable = [(family, address) for family, address in addresses if has_family(family)]
        return [bind_socket(family, address, is_shared=is_shared) for family, address in usable or addresses]
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


def bind_socket(
    family: socket.AddressFamily, address: tuple[str | int | bytes, ...], *, is_shared: bool
) -> socket.socket:
    """Return a socket that has an address for itself or our processes, also right after another had it."""
    bound = socket.socket(family, socket.SOCK_STREAM)
    try:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if is_shared:
            bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        if family == socket.AF_INET6:
            bound.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        bound.bind(address)
    except OSError:
        bound.close()
        raise
    return bound
