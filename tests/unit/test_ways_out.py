"""There is one way out of the process, and it checks where it leads."""

import ast

import pytest
from tests.source_modules import SOURCES, SourceModule

#: The client that checks each destination, and the terminal's, which is no part of the server.
WAYS_OUT = {"infra/http/outbound.py", "cli/client.py"}
#: Speaks to the mail server that the operator named in the environment, and to no other.
MAIL = {"reminders/mail_sender.py"}
#: Opens sockets only to listen at them, or between a process and its own children.
LISTENERS = {"infra/http/listening_sockets.py", "infra/child/worker_group.py"}
#: What opens a connection to another machine, by the last parts of its name.
OPENERS = {
    "httpx2.AsyncClient",
    "httpx2.Client",
    "httpx2.AsyncHTTPTransport",
    "httpx2.HTTPTransport",
    *(f"httpx2.{verb}" for verb in ("get", "post", "put", "patch", "delete", "head", "request", "stream")),
    "asyncio.open_connection",
    "loop.create_connection",
    "loop.create_datagram_endpoint",
    "loop.sock_connect",
    "socket.socket",
    "socket.create_connection",
    "urllib.request.urlopen",
}
LIBRARIES = {
    "http.client",
    "urllib.request",
    "urllib3",
    "requests",
    "aiohttp",
    "httpx",
    "httpcore",
    "httpcore2",
    "websockets",
    "ftplib",
    "smtplib",
    "telnetlib",
    "xmlrpc.client",
}


def openings(module: SourceModule) -> set[str]:
    """Return by what a module could open a connection to another machine."""
    found: set[str] = set()
    for node in module.nodes:
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names} & LIBRARIES
        elif isinstance(node, ast.ImportFrom):
            named = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= ({node.module or ""} | named) & (LIBRARIES | OPENERS)
        elif isinstance(node, ast.Call) and not is_given_a_transport(node):
            names = trailing_names(node.func)
            found |= {".".join(names[-count:]) for count in (2, 3)} & OPENERS
    return found


def trailing_names(called: ast.expr) -> list[str]:
    """Return the dotted names at the end of what is called."""
    if isinstance(called, ast.Attribute):
        return [*trailing_names(called.value), called.attr]
    return [called.id] if isinstance(called, ast.Name) else []


def is_given_a_transport(call: ast.Call) -> bool:
    """Tell whether a client is made with the transport that checks destinations."""
    return any(
        keyword.arg == "transport" and ast.unparse(keyword.value).startswith("ConnectionPool(")
        for keyword in call.keywords
    )


def test_nothing_but_the_one_client_opens_a_connection() -> None:
    found = {path.as_posix() for path, module in SOURCES.items() if openings(module)}
    assert found == WAYS_OUT | MAIL | LISTENERS


@pytest.mark.parametrize(
    "code",
    [
        "import httpx2\nhttpx2.AsyncClient()",
        "import httpx2\nhttpx2.AsyncClient(transport=Other())",
        "from httpx2 import AsyncClient",
        "from urllib.request import urlopen",
        "from urllib import request",
        "import asyncio\nasyncio.open_connection('a', 1)",
        "loop.create_connection(Line, host, port)",
        "import requests",
    ],
)
def test_a_second_way_out_is_noticed(code: str) -> None:
    assert openings(SourceModule.parse(code))
