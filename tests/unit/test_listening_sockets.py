"""Several processes of ours share a port, and nobody else's."""

import socket

import pytest

from tertulia.infra.http.listening_sockets import AddressUnavailable, bind_sockets, reserve_port

HOST = "127.0.0.1"


def port_of(sockets: list[socket.socket]) -> int:
    port: int = sockets[0].getsockname()[1]
    return port


def close_all(*groups: list[socket.socket]) -> None:
    for bound in (bound for group in groups for bound in group):
        bound.close()


def test_a_reserved_port_is_shared_by_all_who_listen() -> None:
    reserved = reserve_port(HOST, 0)
    listeners = [bind_sockets(HOST, port_of(reserved), is_shared=True) for _ in range(2)]
    for (listener,) in listeners:
        listener.listen(100)
        listener.setblocking(False)
    clients = [socket.create_connection((HOST, port_of(reserved))) for _ in range(64)]
    accepted: list[list[socket.socket]] = [[], []]
    for taken, (listener,) in zip(accepted, listeners, strict=True):
        try:
            while True:
                taken.append(listener.accept()[0])
        except BlockingIOError:
            pass
    try:
        assert sum(map(len, accepted)) == 64, "none went to who only reserves"
        assert min(map(len, accepted)) > 8
    finally:
        close_all(reserved, *listeners, clients, *accepted)


@pytest.mark.parametrize("is_shared", [False, True])
def test_a_port_that_another_server_has_is_refused(is_shared: bool) -> None:
    others = bind_sockets(HOST, 0, is_shared=is_shared)
    others[0].listen()
    try:
        with pytest.raises(AddressUnavailable):
            reserve_port(HOST, port_of(others))
    finally:
        close_all(others)
