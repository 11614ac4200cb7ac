"""Addresses: how they are found, and which of them are of the public internet."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from threading import Thread
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ipaddress import IPv4Address, IPv6Address

Resolve = Callable[[str, int], Sequence[str]]


def is_public(address: str) -> bool:
    """Return True if an address is public, and so is every address embedded in it."""
    from ipaddress import IPv6Address, ip_address

    try:
        found = ip_address(address.partition("%")[0])
    except ValueError:
        return False
    if _is_reserved_here(found):
        return False
    if found.is_multicast or found.is_reserved or found.is_unspecified or not found.is_global:
        return False
    if isinstance(found, IPv6Address):
        inner = [found.ipv4_mapped, found.sixtofour, *(found.teredo or ())]
        if int(found) >> 32 in (0x0064FF9B << 64, 0):  # NAT64, and the old compatible form
            return False
        return all(each.is_global for each in inner if each is not None)
    return True


def _is_reserved_here(address: IPv4Address | IPv6Address) -> bool:
    """Return True for addresses that Python calls global, and that lead into a network or to a cloud's metadata."""
    from ipaddress import ip_network

    if address.version == 6 and int(address) >> 32 & 0xFFFFFFFF in _ISATAP:
        return True
    return any(address in ip_network(text) for text in _INNER)


#: Where ISATAP's interface identifiers begin (RFC 5214, 6.1): the IPv4 address follows.
_ISATAP = (0x00005EFE, 0x02005EFE)

_INNER = (
    "192.0.0.0/24",  # IETF protocol assignments
    "192.88.99.0/24",  # 6to4 relays
    "168.63.129.16/32",  # Azure's platform
    "169.254.0.0/16",  # link-local, metadata of most clouds
    "100.64.0.0/10",  # carriers' networks, metadata of Alibaba Cloud
    "fec0::/10",  # site-local, deprecated
    "fd00:ec2::/32",  # metadata of AWS
)


def addresses(host: str, port: int) -> Sequence[str]:
    """Return a host's addresses as the system knows them. Raises OSError."""
    import socket

    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(each[4][0]) for each in found))


def resolve_in_time(resolve: Resolve, host: str, port: int, wait: Callable[[Thread], None]) -> Sequence[str]:
    """Resolve in a thread, for the system's resolver cannot be interrupted.

    Args:
        wait: Joins the thread, or raises what ends the waiting; the thread then ends by itself.

    Raises:
        OSError: The host is not known.
    """
    outcome: list[Sequence[str] | BaseException] = []

    def body() -> None:
        try:
            outcome.append(resolve(host, port))
        except BaseException as error:
            outcome.append(error)

    thread = Thread(target=body, name="sandhook-resolve", daemon=True)
    thread.start()
    wait(thread)
    found = outcome[0]
    if isinstance(found, UnicodeError):
        raise OSError(str(found)) from None
    if isinstance(found, BaseException):
        raise found
    return found
