"""The page: who receives it, and what it may load."""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib.resources import files

import pytest

from sandhook.studio.page import ASSETS
from tests.studio.studiotools import Studio

Make = Callable[..., Studio]


def test_the_page_needs_no_token_and_its_data_does(studio: Make) -> None:
    made = studio({})
    assert made.ask("GET", "/studio/", authorization="").status == 200
    assert made.ask("GET", "/studio", authorization="").headers["location"] == "/studio/"
    for path in ("/v1/studio/about", "/v1/studio/hooks", "/v1/decisions"):
        assert made.ask("GET", path, authorization="").status == 401
        assert made.ask("GET", path, authorization="Bearer another").status == 401
        assert made.ask("GET", path).status == 200


@pytest.mark.parametrize("name", sorted(ASSETS))
def test_each_file_is_served_with_the_policy(studio: Make, name: str) -> None:
    reply = studio({}).ask("GET", f"/studio/{name}", authorization="")
    assert reply.status == 200
    assert reply.body == files("sandhook.studio").joinpath("assets", name).read_bytes()
    policy = dict(part.split(" ", 1) for part in reply.headers["content-security-policy"].split("; "))
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == policy["style-src"] == policy["connect-src"] == "'self'"
    assert policy["require-trusted-types-for"] == "'script'"
    assert "unsafe" not in str(policy) and "http" not in str(policy) and "*" not in str(policy)
    assert reply.headers["x-content-type-options"] == "nosniff"
    assert reply.headers["x-frame-options"] == "DENY"


@pytest.mark.parametrize("name", ["secret", "..%2fpage.py", "page.py", "__init__.py", "studio.js.map"])
def test_no_other_file_is_served(studio: Make, name: str) -> None:
    assert studio({}).ask("GET", f"/studio/{name}").status == 404


def test_the_page_has_nothing_inline_and_nothing_from_elsewhere() -> None:
    html = files("sandhook.studio").joinpath("assets", "index.html").read_text(encoding="utf-8")
    assert not re.search(r"<style|\bstyle=|\bon\w+=|https?:|//", html)
    assert re.findall(r"<script[^>]*>(.*?)</script>", html) == [""]


def test_the_bundle_names_no_other_host() -> None:
    """XML namespaces and a link in a message are the only addresses."""
    script = files("sandhook.studio").joinpath("assets", "studio.js").read_text(encoding="ascii")
    hosts = set(re.findall(r"https?://([\w.-]+)", script))
    assert hosts <= {"www.w3.org"}
    style = files("sandhook.studio").joinpath("assets", "studio.css").read_text(encoding="utf-8")
    assert "url(" not in style and "@import" not in style


def test_every_package_of_the_bundle_has_its_licence() -> None:
    text = files("sandhook.studio").joinpath("assets", "LICENSES.txt").read_text(encoding="utf-8")
    for name in ("preact", "@codemirror/view", "@codemirror/state", "@lezer/common", "style-mod"):
        assert re.search(rf"^{name} [\d.]+ \(MIT\)$", text, re.M), name
    assert text.count("Permission is hereby granted") == len(re.findall(r"^\S+ [\d.]+ \(\S+\)$", text, re.M))


def test_another_host_or_origin_is_refused(studio: Make) -> None:
    made = studio({})
    assert made.ask("GET", "/studio/", host="evil.example").status == 421
    assert made.ask("GET", "/v1/studio/about", origin="http://evil.example").status == 403
    assert made.ask("GET", "/v1/studio/about", origin="http://127.0.0.1:8000").status == 200


@pytest.mark.parametrize("kind", ["", "text/plain", "application/x-www-form-urlencoded"])
def test_a_form_of_another_page_is_no_request(studio: Make, kind: str) -> None:
    """A browser sends these types to other sites without asking."""
    assert studio({}).ask("POST", "/v1/studio/fire", b"{}", content_type=kind).status == 415


@pytest.mark.parametrize("path", ["fire", "compare", "save"])
@pytest.mark.parametrize("body", [b"", b"[]", b"{", b'{"agent": 1}', b"\xff", b'{"agent": "nobody"}'])
def test_requests_that_cannot_be_read_are_named_errors(studio: Make, path: str, body: bytes) -> None:
    reply = studio({}, editable=True).ask("POST", f"/v1/studio/{path}", body, content_type="application/json")
    assert reply.status == 400
    assert reply.json["error"]
