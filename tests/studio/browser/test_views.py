"""Every view in a real browser: WCAG, phone width, both colour schemes, and without a mouse."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import pytest

from tests.serve.servetools import Running
from tests.studio.browser.browsing import PROJECT, Browsing, Program
from tests.studio.studiotools import GUARD, settings

Start = Callable[..., Program]
Browse = Callable[..., Browsing]

SHAPES = [("light", 1280), ("dark", 1280), ("light", 768), ("light", 360), ("dark", 360)]


def check(browsing: Browsing, state: str) -> None:
    browsing.page.wait_for_timeout(150)
    assert browsing.violations() == [], state
    assert browsing.overflow() <= 0, state
    assert browsing.broken_words() == [], state


@pytest.mark.parametrize(("scheme", "width"), SHAPES)
def test_every_view_is_accessible(program: Start, browse: Browse, scheme: str, width: int) -> None:
    started = program(PROJECT, "--edit")
    browsing = browse(started, scheme, width)
    page = browsing.page
    page.wait_for_selector(".group")
    check(browsing, "hooks: agent")
    for number in range(page.locator("a.hook").count()):
        page.locator("a.hook").nth(number).click()
        page.wait_for_selector(".detail .code")
        check(browsing, f"hooks: {number}")
    page.locator("a.hook").first.click()
    page.get_by_role("tab", name="guard.sh").click()
    check(browsing, "hooks: script")
    browsing.go("fire")
    page.get_by_label("command", exact=True).wait_for()
    check(browsing, "fire: form")
    page.get_by_text("more fields").click()
    check(browsing, "fire: all fields")
    page.get_by_role("tab", name="JSON").click()
    check(browsing, "fire: JSON")
    browsing.go("hooks")
    browsing.fire("rm -rf /")
    check(browsing, "fire: refused")
    page.get_by_role("tab", name="Answer to the agent").click()
    check(browsing, "fire: answer")
    page.get_by_role("button", name="From history").click()
    page.wait_for_selector(".picks")
    check(browsing, "fire: history")
    browsing.press("Escape")
    page.get_by_role("link", name="Why did this refuse?").click()
    page.get_by_role("button", name="Why did this refuse?").click()
    check(browsing, "step: reason")
    browsing.go("edit?agent=claude_code")
    page.wait_for_selector(".code.editable")
    check(browsing, "edit: saved")
    page.get_by_role("tab", name="Compare").click()
    page.locator(".code.editable .cm-content").click()
    browsing.press("Control+Home", "#", "!")
    page.get_by_role("button", name="Compare with").click()
    page.wait_for_selector(".compared")
    check(browsing, "edit: compared")
    page.get_by_role("button", name="Save…", exact=True).click()
    check(browsing, "edit: confirmation")


def test_the_header_at_phone_width(serve: Callable[..., Running], browse: Browse) -> None:
    """The navigation scrolls to the view that is shown, and no choice of the header breaks its name."""
    files = {f"{name}/.claude/settings.json": settings("exit 0") for name in ("one", "two")}
    service = serve("--ui", "--sandbox", "--listen", "127.0.0.1:0", files=files)
    for name in ("one", "two"):
        service.fire(cwd=str(service.project / name))
    base = "http://{}:{}/studio/".format(*service.address)
    browsing = browse(Served(base, f"{base}#token={service.token}"), width=360)
    browsing.page.get_by_label("Workspace").wait_for()
    for view in ("vet", "live", "hooks"):
        browsing.go(view)
        link = browsing.page.locator(f"nav a[aria-current][href*='{view}']")
        link.wait_for()
        box = link.bounding_box()
        assert box is not None and box["x"] >= 0 and box["x"] + box["width"] <= 360, view
        check(browsing, view)


def test_the_cause_of_a_refusal_by_a_hook_that_nobody_approved(program: Start, browse: Browse) -> None:
    """The way from Fire to Step through keeps what else was chosen for the event."""
    hooks = settings("bash .claude/hooks/guard.sh")
    browsing = browse(
        program({"project/.claude/settings.json": hooks, "project/.claude/hooks/guard.sh": GUARD})
    )
    page = browsing.page
    browsing.fire("rm -rf /")
    page.get_by_text("Also run hooks that nobody approved").click()
    page.get_by_role("button", name="Fire", exact=True).click()
    page.get_by_role("link", name="Why did this refuse?").click()
    page.get_by_role("button", name="Why did this refuse?").or_(page.get_by_text("No hook ran")).wait_for()
    assert page.get_by_text("No hook ran").count() == 0
    assert page.get_by_label("Also run hooks that nobody approved").is_checked()


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 360)])
def test_empty_and_error_states_are_accessible(
    program: Start, browse: Browse, scheme: str, width: int
) -> None:
    started = program({})
    browsing = browse(started, scheme, width)
    browsing.page.get_by_text("No agent has hooks here").wait_for()
    check(browsing, "hooks")
    for view in ("edit", "step", "fire"):
        browsing.go(view)
        browsing.page.wait_for_selector(".empty")
        check(browsing, view)
    browsing.expected_errors = True
    browsing.page.evaluate("() => sessionStorage.setItem('sandhook-token', 'wrong')")
    browsing.page.reload()
    field = browsing.page.get_by_role("textbox", name="Token")
    field.wait_for()
    check(browsing, "token")
    field.fill(started.address.partition("token=")[2])
    browsing.press("Enter")
    browsing.page.get_by_label("command", exact=True).wait_for()
    started.close()
    browsing.page.get_by_role("button", name="Fire", exact=True).click()
    browsing.page.get_by_role("alert").filter(has_text="does not answer").wait_for()
    check(browsing, "the service ended")


def test_the_token_is_not_in_the_address(program: Start, browse: Browse) -> None:
    browsing = browse(program(PROJECT))
    browsing.page.wait_for_selector(".group")
    assert "token" not in browsing.page.url
    browsing.page.reload()
    browsing.page.wait_for_selector(".group")


def test_the_theme_can_be_chosen(program: Start, browse: Browse) -> None:
    browsing = browse(program({}), "light")
    background = "() => getComputedStyle(document.body).backgroundColor"
    light = browsing.page.evaluate(background)
    browsing.page.get_by_label("Theme").select_option("dark")
    dark = browsing.page.evaluate(background)
    assert light != dark
    browsing.page.reload()
    browsing.page.wait_for_selector("h1")
    assert browsing.page.evaluate(background) == dark
    browsing.page.get_by_label("Theme").select_option("")
    assert browsing.page.evaluate(background) == light


def test_everything_without_a_mouse(program: Start, browse: Browse) -> None:
    """From the first Tab to the line that refused, and to a saved edit."""
    started = program(PROJECT, "--edit")
    browsing = browse(started)
    page = browsing.page
    page.wait_for_selector(".group")
    browsing.tab_to("Skip to the content")
    browsing.press("Enter")
    assert browsing.focused() == ("h1", "Hooks")
    browsing.tab_to("Filter hooks")
    page.keyboard.type("guard")
    assert page.locator("a.hook").count() == 1
    browsing.press("Tab", "Tab", "Enter")
    page.wait_for_selector(".detail .code")
    browsing.tab_to("Command")
    browsing.press("ArrowRight")
    assert browsing.focused() == ("tab", "guard.sh")
    page.get_by_role("textbox", name="guard.sh").wait_for()
    browsing.press("Shift+Tab", "Shift+Tab", "Shift+Tab")
    assert browsing.focused() == ("a", "Fire an event")
    browsing.press("Enter")
    page.get_by_label("command", exact=True).wait_for()
    assert browsing.focused() == ("h1", "Fire")
    browsing.tab_to("command")
    browsing.press("Control+a")
    page.keyboard.type("rm -rf /")
    browsing.tab_to("Fire")
    browsing.press("Enter")
    page.wait_for_selector(".verdict.bad")
    browsing.tab_to("Why did this refuse?")
    browsing.press("Enter")
    page.wait_for_selector(".stepbar")
    browsing.tab_to("Why did this refuse?")
    browsing.press("Enter")
    assert "Line 5" in page.get_by_role("region", name="This step").inner_text()
    browsing.tab_to("Steps", "listbox")
    browsing.press("Home")
    assert "Step 1 of" in page.get_by_role("status").inner_text()
    browsing.press("ArrowDown", "ArrowDown")
    assert "Step 3 of" in page.get_by_role("status").inner_text()
    browsing.press("End")
    assert page.locator("[aria-selected=true][role=option]").inner_text().split()[1:3] == ["exit", "2"]
    browsing.go("edit?agent=claude_code")
    page.wait_for_selector(".code.editable")
    guard = started.project / ".claude/hooks/guard.sh"
    browsing.tab_to(f"Edit {guard.as_posix()}", most=80)
    browsing.press("Control+Home")
    page.keyboard.type("# edited")
    browsing.press("Enter")
    browsing.tab_to("Save…")
    browsing.press("Enter")
    browsing.tab_to("Save")
    browsing.press("Enter")
    page.get_by_role("button", name="Fire", exact=True).wait_for()
    assert guard.read_text().startswith("# edited\n#!/bin/bash\n")
    assert page.evaluate("() => document.querySelector('dialog[open]')") is None


def test_the_focus_stays_in_the_editor_after_saving(program: Start, browse: Browse) -> None:
    started = program(PROJECT, "--edit")
    browsing = browse(started)
    page = browsing.page
    browsing.go("edit?agent=claude_code")
    page.locator(".code.editable .cm-content").click()
    browsing.press("Control+Home", "#")
    page.get_by_role("button", name="Save…", exact=True).click()
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_text("Saved at").wait_for()
    browsing.wait_until("() => document.activeElement.matches('.code.editable')")
    assert browsing.focused()[1].startswith("Edit ")
    assert page.get_by_text("as saved").count() == 1
    check(browsing, "edit: after saving")


class Served(NamedTuple):
    """The page of a service, as ``Browsing`` opens it."""

    base: str
    address: str


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 360)])
def test_a_workspace_is_chosen_by_keyboard(
    serve: Callable[..., Running], browse: Browse, scheme: str, width: int
) -> None:
    """The page of a service for two directories, of which each has its own hooks."""
    files = {f"{name}/.claude/settings.json": settings(f"echo {name}") for name in ("one", "two")}
    service = serve("--ui", "--workspace", "one", "--workspace", "two", files=files)
    host, port = service.address
    base = f"http://{host}:{port}/studio/"
    browsing = browse(Served(base, f"{base}#token={service.token}"), scheme, width)
    page = browsing.page
    page.locator("a.hook").filter(has_text="echo one").wait_for()
    chooser = page.locator("label.workspace select")
    chooser.focus()
    browsing.press("ArrowDown")
    page.locator("a.hook").filter(has_text="echo two").wait_for()
    assert page.get_by_text("echo one").count() == 0
    check(browsing, "hooks of the other workspace")
    page.reload()
    page.locator("a.hook").filter(has_text="echo two").wait_for()
    assert chooser.input_value().endswith("/two")
    service.fire("ls", cwd=str(service.project / "one"))
    browsing.go("live")
    page.get_by_text("Nothing was fired yet").wait_for()
    page.get_by_label("Of all workspaces").check()
    page.locator(".fire").first.click()
    page.get_by_role("link", name="Open in Fire").wait_for()
    check(browsing, "live of all workspaces")
    page.get_by_role("link", name="Open in Fire").click()
    page.get_by_label("command", exact=True).wait_for()
    assert chooser.input_value().endswith("/one")
    assert page.get_by_label("command", exact=True).input_value() == "ls"


def test_an_edited_text_has_its_own_findings_and_stays(program: Start, browse: Browse) -> None:
    """Over other views, and when somebody else changes the file; saving it keeps the line ends."""
    windows = GUARD.replace("\n", "\r\n")
    started = program(
        {"home/.claude/settings.json": settings("bash ~/guard.sh"), "home/guard.sh": windows}, "--edit"
    )
    browsing = browse(started)
    page = browsing.page
    browsing.go("edit?agent=claude_code")
    text = page.locator(".code.editable .cm-content")
    text.click()
    browsing.press("Control+End")
    page.keyboard.insert_text("if true; then\n")
    page.get_by_text("syntax error: unexpected end of file").wait_for()
    browsing.go("live")
    page.get_by_text("Nothing was fired yet").wait_for()
    browsing.go("edit?agent=claude_code")
    page.get_by_text("syntax error: unexpected end of file").wait_for()
    check(browsing, "a fault")
    page.get_by_role("button", name="Undo all").click()
    page.get_by_role("button", name="Fire", exact=True).wait_for()
    browsing.press("Control+z")  # the focus is in the text
    page.get_by_role("button", name="Fire the edited hook").wait_for()
    page.get_by_role("button", name="Undo all").click()
    browsing.press("Control+Home")
    page.keyboard.insert_text("# of the page\n")
    script = started.top / "home/guard.sh"
    script.write_bytes(b"# of somebody else\r\n")
    save = page.get_by_role("button", name="Save…", exact=True)
    save.click()
    browsing.expected_errors = True
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_text("changed since the page read it").wait_for()
    check(browsing, "a conflict")
    assert script.read_bytes() == b"# of somebody else\r\n"
    page.get_by_role("button", name="Load the file again").click()
    page.get_by_text("The file changed after this text was begun").wait_for()
    check(browsing, "loaded again")
    save.click()
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_text("Saved at").wait_for()
    assert script.read_bytes() == b"# of the page\r\n" + windows.encode()
    assert page.get_by_text("The file changed after").count() == 0


def test_without_edit_the_text_is_tried_and_not_saved(program: Start, browse: Browse) -> None:
    browsing = browse(program(PROJECT), width=360)
    browsing.go("edit?agent=claude_code")
    browsing.page.locator(".code.editable .cm-content").click()
    browsing.press("Control+Home", "#")
    browsing.page.get_by_text("Nothing is saved").wait_for()
    assert browsing.page.get_by_role("button", name="Save…").count() == 0
    check(browsing, "read only")
