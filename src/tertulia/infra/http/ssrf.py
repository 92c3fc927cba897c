"""Which addresses our requests may go to, whoever named them and however they are written.

Nothing may be sent to link-local, metadata, multicast or unusable addresses. This machine and its
network are only for a request whose reach an operator or an admin widened. An IPv6 address that
carries an IPv4 address is judged by both.
"""

import ipaddress
import socket
from collections.abc import Iterable, Iterator
from enum import StrEnum

IpAddress = ipaddress.IPv4Address | ipaddress.IPv6Address

#: Where clouds answer with credentials.
METADATA_HOSTS = frozenset({"metadata", "metadata.google.internal", "instance-data"})
#: The same as addresses, as far as they lie outside of the link-local range.
METADATA_ADDRESSES = frozenset(
    ipaddress.ip_address(address)
    for address in (
        "100.100.100.200",
        "168.63.129.16",
        "192.0.0.192",
        "fd00:ec2::254",
        "fd20:ce::254",
        "fd00:c1::a9fe:a9fe",
        "fd00:42::42",
    )
)
THIS_NETWORK = ipaddress.IPv4Network("0.0.0.0/8")
BROADCAST_ADDRESS = ipaddress.IPv4Address("255.255.255.255")
IPV4_COMPATIBLE = ipaddress.IPv6Network("::/96")
IPV4_TRANSLATED = ipaddress.IPv6Network("::ffff:0:0:0/96")
NAT64_NETWORK = ipaddress.IPv6Network("64:ff9b::/96")
NAT64_LOCAL_NETWORK = ipaddress.IPv6Network("64:ff9b:1::/48")
#: The interface ids of ISATAP, in the 32 bits before the IPv4 address.
ISATAP_IDS = (0x00005EFE, 0x02005EFE)
IPV4_MASK = 0xFFFFFFFF

PRIVATE_HOST_SUFFIXES = (".localhost", ".local", ".internal", ".lan", ".home.arpa")


class NetworkReach(StrEnum):
    """How far a request may go."""

    INTERNET = "internet"
    #: The internet, and also this machine and its network.
    NETWORK = "network"


def parse_address(host: str) -> IpAddress | None:
    """Return the IP address a host stands for, in any spelling the system would accept; None for a name."""
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        try:
            # Decimal, octal, hexadecimal and short forms, such as 2852039166 and 127.1.
            return ipaddress.IPv4Address(socket.inet_aton(host))
        except (OSError, UnicodeError):
            return None
    return unwrap_ipv4(address)


def unwrap_ipv4(address: IpAddress) -> IpAddress:
    """Return the IPv4 address that is reached through an IPv6 address which only stands for it."""
    if isinstance(address, ipaddress.IPv4Address):
        return address
    if address.ipv4_mapped is not None:
        return address.ipv4_mapped
    return low_bits_ipv4(address) if address in NAT64_NETWORK else address


def low_bits_ipv4(address: ipaddress.IPv6Address) -> ipaddress.IPv4Address:
    """Return the IPv4 address in the last 32 bits."""
    return ipaddress.IPv4Address(int(address) & IPV4_MASK)


def embedded_addresses(address: IpAddress) -> Iterator[IpAddress]:
    """Yield an address and every IPv4 address that it may carry."""
    yield address
    if isinstance(address, ipaddress.IPv4Address):
        return
    if address.sixtofour is not None:
        yield address.sixtofour
    if address.teredo is not None:
        yield from address.teredo
    if address in NAT64_LOCAL_NETWORK:
        yield from nat64_local_addresses(int(address))
    if is_isatap(address) or address in IPV4_TRANSLATED or is_ipv4_compatible(address):
        yield low_bits_ipv4(address)


def nat64_local_addresses(number: int) -> list[ipaddress.IPv4Address]:
    """Return the IPv4 address of a network's own NAT64: in the middle or at the end, as the network chose."""
    middle = (number >> 64 & 0xFFFF) << 16 | number >> 40 & 0xFFFF
    found = (ipaddress.IPv4Address(bits) for bits in (middle, number & IPV4_MASK))
    return [address for address in found if address not in THIS_NETWORK]


def is_isatap(address: ipaddress.IPv6Address) -> bool:
    """Tell whether an address is one of ISATAP, which ends in an IPv4 address."""
    return int(address) >> 32 & IPV4_MASK in ISATAP_IDS


def is_ipv4_compatible(address: ipaddress.IPv6Address) -> bool:
    """Tell whether an address is the old form `::a.b.c.d`; `::` and `::1` are something else."""
    return address in IPV4_COMPATIBLE and int(address) > 1


def is_forbidden_address(address: IpAddress) -> bool:
    """Tell whether nothing may ever be sent to an address."""
    return any(
        form.is_link_local
        or form.is_multicast
        or form.is_unspecified
        or form == BROADCAST_ADDRESS
        or form in METADATA_ADDRESSES
        or (isinstance(form, ipaddress.IPv4Address) and form in THIS_NETWORK)
        for form in embedded_addresses(address)
    )


def is_public_address(address: IpAddress) -> bool:
    """Tell whether an address is one of the open internet."""
    return all(
        form.is_global and not form.is_reserved and not form.is_multicast and not is_site_local(form)
        for form in embedded_addresses(address)
    )


def is_site_local(address: IpAddress) -> bool:
    """Tell whether an address is of the range that IPv6 first kept for private networks."""
    return isinstance(address, ipaddress.IPv6Address) and address.is_site_local


def is_allowed_address(address: IpAddress, reach: NetworkReach) -> bool:
    """Tell whether a request of this reach may go to an address."""
    return not is_forbidden_address(address) and (reach is NetworkReach.NETWORK or is_public_address(address))


def is_forbidden_host(host: str) -> bool:
    """Tell whether a host as it is written is never asked: link-local, metadata, multicast or nowhere."""
    address = parse_address(host)
    return host in METADATA_HOSTS if address is None else is_forbidden_address(address)


def is_private_host(host: str) -> bool:
    """Tell whether a host as it is written is this machine or on its network."""
    address = parse_address(host)
    if address is not None:
        return not is_public_address(address) and not is_forbidden_address(address)
    return "." not in host or host.endswith(PRIVATE_HOST_SUFFIXES)


def is_allowed_private_host(host: str, private_hosts: Iterable[str]) -> bool:
    """Tell whether the operator listed a host: its name, its address, or the network it is in."""
    address = parse_address(host)
    if address is None:
        return host in private_hosts
    networks = (parse_network(entry) for entry in private_hosts)
    return any(network is not None and address in network for network in networks)


def parse_network(entry: str) -> ipaddress.IPv4Network | ipaddress.IPv6Network | None:
    """Return the network that an entry of a list names; an address is a network of one."""
    try:
        return ipaddress.ip_network(entry, strict=False)
    except ValueError:
        return None
