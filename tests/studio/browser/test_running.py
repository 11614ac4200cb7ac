"""The views of fires and of grids in a real browser: what they show, WCAG, phone width, hostile output, no mouse."""

from __future__ import annotations

import json
import urllib.request
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.studio.browser.browsing import Browsing, Program
from tests.studio.studiotools import GUARD, payload, settings

Start = Callable[..., Program]
Browse = Callable[..., Browsing]

SHAPES = [("light", 1280), ("dark", 360)]

MARKUP = '<img src=x onerror="window.ran=1"></script><script>window.ran=1</script><b id=made>bold</b>'

EXPECTATIONS = """\
version: 1
hooks: ../home/.claude/settings.json
contract: claude_code
event: tool.pre
tool: shell
cases:
  - name: rm -rf is refused
    input: { command: rm -rf / }
    expect: deny
"""

#: A guard of the user, so that it runs without approval, with the expectation that it refuses.
PROJECT: dict[str, str | bytes] = {
    "home/.claude/settings.json": settings("bash guard.sh"),
    "project/guard.sh": GUARD,
    "project/guard.expect.yaml": EXPECTATIONS,
}


def check(browsing: Browsing, state: str) -> None:
    browsing.page.wait_for_timeout(150)
    assert browsing.violations() == [], state
    assert browsing.overflow() <= 0, state
    assert browsing.broken_words() == [], state


def post(program: Program, command: str, directory: Path) -> None:
    """Post an event as an agent with http hooks does."""
    base, _, token = program.address.partition("/studio/#token=")
    body = json.loads(payload(command)) | {"cwd": str(directory), "session_id": "s"}
    request = urllib.request.Request(
        f"{base}/v1/hooks/claude_code",
        json.dumps(body).encode(),
        {"Authorization": f"Bearer {token}", "Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=60) as answer:
        assert answer.status == 200


@pytest.mark.parametrize(("scheme", "width"), SHAPES)
def test_fires_appear_as_they_come_and_are_fired_again_and_saved(
    program: Start, browse: Browse, scheme: str, width: int
) -> None:
    started = program(PROJECT, "--edit")
    browsing = browse(started, scheme, width)
    page = browsing.page
    browsing.go("live")
    page.get_by_text("Nothing was fired yet").wait_for()
    check(browsing, "live: empty")
    post(started, "ls", started.project)
    post(started, "rm -rf /", started.project)
    page.locator(".fire").nth(1).wait_for()
    page.get_by_role("heading", name="Hooks in numbers").wait_for()
    check(browsing, "live: list")
    assert "refused" in page.locator(".fire").first.inner_text()
    assert "up to" in (page.locator("svg.histogram").first.get_attribute("aria-label") or "")
    page.get_by_label("Outcome").select_option("passed")
    browsing.wait_until("() => document.querySelectorAll('.fire').length === 1")
    page.get_by_label("Outcome").select_option("refused")
    browsing.wait_until("() => document.querySelector('.fire')?.textContent.includes('refused')")
    page.locator(".fire").first.click()
    page.get_by_role("button", name="Fire again").click()
    page.locator(".verdict").wait_for()
    assert "Refused" in page.locator(".verdict").inner_text()
    page.get_by_label("Name of the expectation").fill("no deletion")
    page.get_by_role("button", name="Save as an expectation").click()
    page.get_by_text("recorded.expect.yaml: deny").wait_for()
    check(browsing, "live: one fire")
    assert "no deletion" in (started.top / "home/.claude/recorded.expect.yaml").read_text()
    page.get_by_role("link", name="Open in Fire").click()
    page.get_by_role("heading", name="Fire", exact=True).wait_for()


def test_without_edit_nothing_can_be_saved(program: Start, browse: Browse) -> None:
    started = program(PROJECT)
    browsing = browse(started)
    post(started, "rm -rf /", started.project)
    browsing.go("live")
    browsing.page.locator(".fire").first.click()
    browsing.page.get_by_role("button", name="Fire again").wait_for()
    assert browsing.page.get_by_role("button", name="Save as an expectation").count() == 0


@pytest.mark.parametrize(("scheme", "width"), SHAPES)
def test_grids_are_opened_down_to_the_run(program: Start, browse: Browse, scheme: str, width: int) -> None:
    browsing = browse(program(PROJECT), scheme, width)
    page = browsing.page
    for view, verb, cell, wanted in (
        ("chaos", "Break things", "PreToolUse[0], no-jq", "rm -rf is refused"),
        ("portability", "Compare agents", "cursor on windows", ""),
        ("vet", "Vet the hooks", "PreToolUse[0], findings", "finding"),
    ):
        browsing.go(view)
        page.get_by_role("button", name=verb, exact=True).wait_for()
        check(browsing, f"{view}: before")
        page.get_by_role("button", name=verb, exact=True).click()
        page.get_by_text("Complete.").wait_for()
        check(browsing, f"{view}: grid")
        page.locator(f"button[aria-label^='{cell}']").first.click()
        dialog = page.get_by_role("dialog").filter(has_text="Close")
        dialog.get_by_role("button", name="Close").wait_for()
        browsing.wait_until("() => !document.querySelector('dialog[open] .loading')", 60)
        check(browsing, f"{view}: cell")
        assert wanted in dialog.inner_text()
        browsing.press("Escape")
        browsing.wait_until("() => !document.querySelector('dialog[open]')")


def test_a_grid_without_a_mouse(program: Start, browse: Browse) -> None:
    browsing = browse(program(PROJECT))
    browsing.go("chaos")
    browsing.page.get_by_role("button", name="Break things").wait_for()
    browsing.tab_to("Break things", "button")
    browsing.press("Enter")
    browsing.page.get_by_text("Complete.").wait_for()
    browsing.press("Tab")
    while not browsing.focused()[1].startswith("PreToolUse[0], no-jq"):
        browsing.press("Tab")
    browsing.press("Enter")
    browsing.page.locator("dialog[open]").wait_for()
    browsing.press("Escape")
    browsing.wait_until("() => !document.querySelector('dialog[open]')")
    assert browsing.focused()[1].startswith("PreToolUse[0], no-jq")


def test_a_task_is_cancelled(program: Start, browse: Browse) -> None:
    browsing = browse(program(PROJECT))
    browsing.go("chaos")
    browsing.page.get_by_role("button", name="Break things").click()
    browsing.page.get_by_role("button", name="Cancel").click()
    browsing.wait_until(
        "() => ['Cancelled.', 'Complete.'].some((word) => document.body.textContent.includes(word))", 120
    )


def test_markup_of_hooks_is_text_in_fires_and_cells(program: Start, browse: Browse) -> None:
    hook = f"echo '{MARKUP}' >&2; printf '\\033[31mred\\xff' >&2; exit 2"
    files = {**PROJECT, "home/.claude/settings.json": settings(hook, matcher="")}
    started = program(files)
    browsing = browse(started)
    page = browsing.page
    post(started, MARKUP, started.project)
    browsing.go("live")
    page.locator(".fire").first.click()
    page.locator("figure.output").first.wait_for()
    text = page.locator("section[aria-label='One fire']").inner_text()
    assert MARKUP in text and "\u241b[31mred" in text
    for view, verb in (
        ("chaos", "Break things"),
        ("portability", "Compare agents"),
        ("vet", "Vet the hooks"),
    ):
        browsing.go(view)
        page.get_by_role("button", name=verb, exact=True).click()
        page.get_by_text("Complete.").wait_for()
        page.locator("button.cell").first.click()
        browsing.wait_until(
            "() => document.querySelector('dialog[open]') && !document.querySelector('dialog[open] .loading')",
            60,
        )
        assert not page.evaluate("() => window.ran === 1 || !!document.querySelector('#made, img[src=x]')")
        browsing.press("Escape")


def test_a_long_output_and_a_thousand_fires_leave_the_page_responsive(program: Start, browse: Browse) -> None:
    """Eight megabytes of output, of which the page shows a piece; and more fires than the list has."""
    hook = 'case $(jq -r .tool_input.command) in big) head -c 8000000 /dev/zero | tr "\\0" x ;; esac'
    started = program({**PROJECT, "home/.claude/settings.json": settings(hook)})
    browsing = browse(started)
    page = browsing.page
    browsing.go("live")
    page.get_by_text("Nothing was fired yet").wait_for()
    for _ in range(300):
        post(started, "ls", started.project)
    post(started, "big", started.project)
    browsing.wait_until("() => document.querySelectorAll('.fire').length === 200", 60)
    page.locator(".fire").first.click()
    page.locator("figure.output").first.wait_for()
    assert page.evaluate("() => document.body.textContent.length") < 400_000
    page.get_by_label("Outcome").select_option("failed")
    page.get_by_label("Outcome").select_option("")
