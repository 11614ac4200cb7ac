"""Addresses: how they are found, and which of them are of the public internet."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from threading import Thread

Resolve = Callable[[str, int], Sequence[str]]


def is_public(address: str) -> bool:
    """Return True if an address is public, and so is every address embedded in it."""
    from ipaddress import IPv6Address, ip_address

    try:
        found = ip_address(address.partition("%")[0])
    except ValueError:
        return False
    if found.is_multicast or found.is_reserved or found.is_unspecified or not found.is_global:
        return False
    if isinstance(found, IPv6Address):
        inner = [found.ipv4_mapped, found.sixtofour, *(found.teredo or ())]
        if int(found) >> 32 in (0x0064FF9B << 64, 0):  # NAT64, and the old compatible form
            return False
        return all(each.is_global for each in inner if each is not None)
    return True


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
