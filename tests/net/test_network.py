"""What a Network allows: URLs, addresses, credentials."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from sandhook import Network
from sandhook.net.addresses import is_public
from sandhook.net.network import Unresolved
from sandhook.net.url import UrlRefused, parse

PUBLIC = "93.184.215.14"


def address(network: Network, url: str) -> str:
    """Return where a request to an allowed URL would go."""
    taken = parse(url)
    network.check(taken)
    return network.address(taken, lambda thread: thread.join(5))


def made(allow: Sequence[str], found: Sequence[str] = (PUBLIC,), **named: object) -> Network:
    return Network(allow, resolve=lambda host, port: found, **named)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("allow", "url", "fine"),
    [
        ("https://a.example", "https://a.example/any/path?q", True),
        ("https://a.example", "https://A.EXAMPLE:443/", True),
        ("https://a.example", "http://a.example/", False),
        ("https://a.example", "https://a.example:8443/", False),
        ("https://a.example", "https://b.a.example/", False),
        ("https://a.example", "https://a.example.evil.example/", False),
        ("https://*.a.example", "https://b.a.example/x", True),
        ("https://*.a.example", "https://a.example/x", False),
        ("https://a.example/api/*", "https://a.example/api/x", True),
        ("https://a.example/api/*", "https://a.example/other", False),
        ("http://a.example:8080", "http://a.example:8080/x", True),
    ],
)
def test_only_what_is_listed_is_called(allow: str, url: str, fine: bool) -> None:
    if fine:
        assert address(made([allow]), url) == PUBLIC
    else:
        with pytest.raises(UrlRefused, match="not on the list"):
            address(made([allow]), url)


@pytest.mark.parametrize(
    "url",
    [
        "https://a.example@evil.example/", "https://user:pw@a.example/", "https://a.example\\@evil.example/",
        "https://a.example:0/", "https://a.example:99999/", "https://a.exam ple/", "https:///x", "ftp://a.example/",
        "https://a.example/%2e%2e/x", "https://a.example/../x", "https://a.example?x", "https://[::1", "file:///etc/passwd",
        "https://ä.example/",
    ],
)  # fmt: skip
def test_urls_that_two_readers_could_read_differently_are_refused(url: str) -> None:
    with pytest.raises(UrlRefused):
        parse(url)


@pytest.mark.parametrize(
    "path",
    [
        "..", ".", "../x", "..;a/x", "%2e%2E/x", ".%2e/x", "..%2fx", "..%5cx", "%252e%252e/x", "%25252e%25252e/x",
        "%25%32%65%25%32%65/x", "%%32%65%%32%65/x", "%2%65%2%65/x", "%c0%ae%c0%ae/x", "%e0%80%ae%e0%80%ae/x",
        "%f0%80%80%ae%f0%80%80%ae/x", "..%c0%afx", "%u002e%u002e/x", "..%u005cx", "%ef%bc%8e%ef%bc%8e/x", "%e2%80%a5/x",
        "..%ff/x", "%ff../x", ".%00./x", "..%00/x", "..%09/x", "..%20/x", "..%3f/x", "..%23/x", "..%3bx/y", "..%253bx/y",
        "..%ef%bc%8fx", "%ef%bc%8e./x",
    ],
)  # fmt: skip
def test_a_path_that_a_server_could_read_as_going_up_is_refused(path: str) -> None:
    with pytest.raises(UrlRefused, match="goes up"):
        parse(f"https://a.example/v1/{path}")


@pytest.mark.parametrize(
    "path",
    [
        "a..b",
        "...",
        "..a",
        "a%2fb",
        "%41",
        "100%",
        "%zz",
        "a%20b",
        ".well-known/x",
        "x?y=../..",
        "%c3%a9",
        "a;b",
        "..%41",
    ],
)
def test_other_paths_are_parsed(path: str) -> None:
    assert parse(f"https://a.example/v1/{path}").path == f"/v1/{path}"


@pytest.mark.parametrize(
    "bad",
    [
        "127.0.0.1", "127.9.9.9", "10.0.0.1", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0",
        "224.0.0.1", "255.255.255.255", "240.0.0.1", "192.0.2.1", "198.18.0.1", "::1", "::", "fe80::1", "fc00::1", "ff02::1",
        "::ffff:127.0.0.1", "::ffff:10.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::", "::127.0.0.1", "2001:db8::1", "nonsense",
        "fe80::1%eth0",
    ],
)  # fmt: skip
def test_addresses_that_are_not_public_are_refused(bad: str) -> None:
    assert not is_public(bad)
    for found in ([bad], [PUBLIC, bad], [bad, PUBLIC]):
        with pytest.raises(UrlRefused, match="not public"):
            address(made(["https://a.example"], found), "https://a.example/")


@pytest.mark.parametrize("good", [PUBLIC, "8.8.8.8", "2606:4700::1111"])
def test_public_addresses_are_not(good: str) -> None:
    assert address(made(["https://a.example"], [good]), "https://a.example/") == good


def test_what_the_list_names_itself_may_be_reached() -> None:
    assert address(made(["http://127.0.0.1:8080"], ["127.0.0.1"]), "http://127.0.0.1:8080/x") == "127.0.0.1"
    assert address(made(["http://localhost:1"], ["127.0.0.1"]), "http://localhost:1/") == "127.0.0.1"
    with pytest.raises(UrlRefused):
        address(made(["http://localhost:1"], ["10.0.0.1"]), "http://localhost:1/")
    with pytest.raises(UrlRefused):
        address(made(["http://127.0.0.1:8080", "http://a.example"], ["127.0.0.1"]), "http://a.example/")
    assert address(made(["http://a.example"], ["10.0.0.1"], private=True), "http://a.example/") == "10.0.0.1"


def test_credentials_belong_to_an_origin() -> None:
    network = Network(
        ["https://a.example", "https://b.example"],
        credentials={"https://a.example": {"Authorization": "secret"}},
    )
    given = [("authorization", "mine"), ("X", "1")]
    assert network.headers(parse("https://a.example/x"), given) == [("X", "1"), ("Authorization", "secret")]
    for other in ("https://b.example/", "https://a.example:444/", "http://a.example/"):
        assert network.headers(parse(other), given) == given


def test_hosts_without_an_address() -> None:
    def unknown(host: str, port: int) -> Sequence[str]:
        raise OSError("Name or service not known")

    network = Network(["http://a.example"], resolve=unknown)
    with pytest.raises(Unresolved):
        network.send("GET", parse("http://a.example/"), (), None, lambda: 5.0)
    with pytest.raises(Unresolved):
        made(["http://a.example"], []).send("GET", parse("http://a.example/"), (), None, lambda: 5.0)


def test_a_resolver_that_hangs_is_left_behind() -> None:
    from threading import Event
    from time import monotonic

    hang = Event()

    def later(host: str, port: int) -> Sequence[str]:
        hang.wait(20)
        return []

    network = Network(["http://a.example"], resolve=later)
    ends = monotonic() + 0.2
    with pytest.raises(TimeoutError):
        network.send("GET", parse("http://a.example/"), (), None, lambda: ends - monotonic())
    hang.set()


@pytest.mark.parametrize(
    "allow", [["a.example"], ["ftp://a.example"], ["https://a.*.example"], "https://a.example"]
)
def test_a_wrong_list_is_an_error(allow: list[str]) -> None:
    with pytest.raises(ValueError):
        Network(allow)


@pytest.mark.parametrize("method", ["", "GET /other HTTP/1.1", "A B", "GET\r\nX: y", "GÉT", "A:B"])
def test_a_method_cannot_name_a_path_of_its_own(method: str) -> None:
    network = Network(["http://127.0.0.1:1/allowed/*"])
    with pytest.raises(UrlRefused, match="no method of HTTP"):
        network.send(method, parse("http://127.0.0.1:1/allowed/x"), [], None, lambda: 5.0)
