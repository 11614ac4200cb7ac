"""Resolving of host names, and which addresses belong to the public internet."""

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
        parsed = ip_address(address.partition("%")[0])
    except ValueError:
        return False
    if _is_reserved_here(parsed):
        return False
    if parsed.is_multicast or parsed.is_reserved or parsed.is_unspecified or not parsed.is_global:
        return False
    if isinstance(parsed, IPv6Address):
        inner = [parsed.ipv4_mapped, parsed.sixtofour, *(parsed.teredo or ())]
        if int(parsed) >> 32 in (0x0064FF9B << 64, 0):  # NAT64, and the old compatible form
            return False
        return all(is_public(str(embedded)) for embedded in inner if embedded is not None)
    return True


def _is_reserved_here(address: IPv4Address | IPv6Address) -> bool:
    """Return True for addresses that Python calls global, but that reach a private network or a cloud's metadata."""
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
    "fd20:ce::/32",  # metadata of Google Cloud
    "64:ff9b:1::/48",  # NAT64 of a private network
    "3fff::/20",  # documentation
    "5f00::/16",  # segment routing
)


def addresses(host: str, port: int) -> Sequence[str]:
    """Return a host's addresses by the system's resolver. Raises OSError."""
    import socket

    infos = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(info[4][0]) for info in infos))


def join_in_time(thread: Thread, seconds: float) -> None:
    """Wait for a thread. Raises TimeoutError; the thread then ends by itself."""
    thread.join(max(seconds, 0.0))
    if thread.is_alive():
        raise TimeoutError


def resolve_in_time(resolve: Resolve, host: str, port: int, wait: Callable[[Thread], None]) -> Sequence[str]:
    """Resolve in a thread, because the system's resolver cannot be interrupted.

    Args:
        wait: Joins the thread, or raises to end the wait; the thread then ends by itself.

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
    result = outcome[0]
    if isinstance(result, UnicodeError):
        raise OSError(str(result)) from None
    if isinstance(result, BaseException):
        raise result
    return result
