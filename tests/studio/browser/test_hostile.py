"""What hooks write is text: nothing of it runs, and the page stays small."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.studio.browser.browsing import Browsing, Program
from tests.studio.studiotools import settings

Start = Callable[..., Program]
Browse = Callable[..., Browsing]

#: Markup that sets a variable of the page if it becomes markup, and control characters.
MARKUP = '<img src=x onerror="window.ran=1"></script><script>window.ran=1</script><b id=made>bold</b>'

SCRIPT = f"""\
cat > /tmp/markup <<'END'
{MARKUP}
END
cat /tmp/markup
printf '\\033[31mred\\033[0m\\033]0;title\\007\\x9b2J\\r\\xff\\xfe\\xe2\\x80\\xae'
name='{MARKUP.replace("/", "_")}'
cp /tmp/markup "$name"
cat /tmp/markup >&2
exit 2
"""

#: Elements that the page itself never has, or a variable that only a script of a hook sets.
RAN = "() => window.ran === 1 || !!document.querySelector('#made, #page script, img[src=x]')"


def project(script: str) -> dict[str, str | bytes]:
    """Return a project whose hook runs a script; its matcher and its file have markup in them, too."""
    return {
        "home/.claude/settings.json": settings("bash hook.sh", f"echo '{MARKUP}' >&2; exit 2", matcher=""),
        "project/hook.sh": script,
        f"project/{MARKUP.replace('/', '_')}": MARKUP,
    }


def test_markup_and_control_characters_are_text(program: Start, browse: Browse) -> None:
    browsing = browse(program(project(SCRIPT)))
    page = browsing.page
    page.wait_for_selector(".group")
    for number in range(page.locator("a.hook").count()):
        page.locator("a.hook").nth(number).click()
        page.wait_for_selector(".detail .code")
    browsing.fire(MARKUP)
    shown = page.locator("figure.output pre").first.inner_text()
    assert MARKUP in shown
    assert "\u241b[31mred" in shown and "\u2407" in shown and "\ufffd" in shown and "U+202E" in shown
    for name in page.get_by_role("tab", name="Files").all():
        name.click()
    assert not page.evaluate(RAN)
    page.get_by_role("link", name="Why did this refuse?").first.click()
    page.wait_for_selector(".stepbar")
    for _ in range(12):
        page.get_by_role("button", name="Next").click()
        if page.get_by_role("button", name="Next").is_disabled():
            break
    assert not page.evaluate(RAN)
    browsing.go("edit?agent=claude_code")
    page.wait_for_selector(".code.editable")
    page.get_by_role("button", name="Fire", exact=True).click()
    page.wait_for_selector(".verdict")
    page.get_by_role("tab", name="Compare").click()
    page.get_by_role("button", name="Compare with").click()
    page.wait_for_selector(".compared")
    assert not page.evaluate(RAN)


@pytest.mark.parametrize("stream", ["", ">&2"])
def test_a_long_output_leaves_the_page_small(program: Start, browse: Browse, stream: str) -> None:
    long = f"head -c 8388608 /dev/zero | tr '\\0' '<' {stream}\n"
    browsing = browse(program(project(long)))
    browsing.fire("ls")
    count = "() => document.body.textContent.length"
    assert browsing.page.evaluate(count) < 60_000
    browsing.page.get_by_role("button", name="Show more").first.click()
    assert browsing.page.evaluate(count) < 200_000
    browsing.page.get_by_label("command", exact=True).fill("pwd")
    browsing.page.get_by_role("tab", name="JSON").click()
    assert '"pwd"' in browsing.page.locator(".cm-content").first.inner_text()


def test_a_script_of_many_steps_leaves_the_page_small(program: Start, browse: Browse) -> None:
    browsing = browse(program(project("for i in {1..4000}; do x=$i; done\nexit 2\n")))
    browsing.fire("ls")
    browsing.page.get_by_role("link", name="Why did this refuse?").first.click()
    browsing.page.get_by_role("button", name="Why did this refuse?").click()
    assert "Line 2" in browsing.page.get_by_role("region", name="This step").inner_text()
    assert browsing.page.locator("[role=option]").count() <= 300
