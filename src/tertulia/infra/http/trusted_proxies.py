"""Who sent a request, where a proxy that the operator trusts says it.

Everything that asks for the client's address or for the scheme of a request reads them from
the request itself; this is the only place where a header may change them.
"""

import ipaddress
from collections.abc import Iterable, Sequence

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

Network = ipaddress.IPv4Network | ipaddress.IPv6Network


class TrustedProxyMiddleware:
    """Believes `X-Forwarded-For` and `X-Forwarded-Proto` from trusted proxies, and from nobody else."""

    def __init__(self, app: ASGIApp, *, proxies: Sequence[str]) -> None:
        self._app = app
        self._networks = parse_networks(proxies)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request as coming from the client that the proxy names."""
        client = scope.get("client")
        if scope["type"] == "http" and client is not None and self._is_trusted(client[0]):
            headers = Headers(scope=scope)
            scope = {**scope, "client": (self._client_address(client[0], headers), 0)}
            scheme = headers.get("x-forwarded-proto", "").strip().lower()
            if scheme in ("http", "https"):
                scope["scheme"] = scheme
        await self._app(scope, receive, send)

    def _client_address(self, peer: str, headers: Headers) -> str:
        """Return the last address of the chain that is no proxy of ours: what stands before it is hearsay."""
        chain = [peer]
        for entry in reversed(list(forwarded_addresses(headers.getlist("x-forwarded-for")))):
            chain.append(entry)
            if not self._is_trusted(entry):
                break
        return chain[-1]

    def _is_trusted(self, address: str) -> bool:
        return is_in_networks(address, self._networks)


def parse_networks(addresses: Iterable[str]) -> tuple[Network, ...]:
    """Return addresses and networks as networks."""
    return tuple(ipaddress.ip_network(address) for address in addresses)


def is_in_networks(address: str, networks: Iterable[Network]) -> bool:
    """Tell whether an address lies in one of some networks; what is no address does not."""
    try:
        known = ipaddress.ip_address(address)
    except ValueError:
        return False
    if isinstance(known, ipaddress.IPv6Address) and known.ipv4_mapped is not None:
        known = known.ipv4_mapped
    return any(known in network for network in networks)


def forwarded_addresses(lines: Iterable[str]) -> Iterable[str]:
    """Yield the addresses of the header's lines in their order, without the ports that some proxies add."""
    for line in lines:
        for entry in line.split(","):
            yield strip_port(entry.strip())


def strip_port(entry: str) -> str:
    """Return the address of an entry such as `192.0.2.1:4711` or `[2001:db8::1]:4711`."""
    if entry.startswith("["):
        return entry[1:].partition("]")[0]
    return entry.partition(":")[0] if entry.count(":") == 1 else entry
