"""The program ``sandhook studio`` over a project, and one page of a browser that shows it."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.studio.studiotools import GUARD, settings

if TYPE_CHECKING:
    from playwright.sync_api import Browser

CHROMIUM = Path(os.environ.get("SANDHOOK_CHROMIUM", "/usr/bin/chromium"))

#: Seconds that the page may take for one step. A machine that runs other tests takes 20 times as long as a quiet one.
PATIENCE = 240.0

FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]

#: A project with a guard that refuses, one that writes a file, one that does not match, and one for the user.
PROJECT: dict[str, str | bytes] = {
    "home/.claude/settings.json": settings(
        "bash .claude/hooks/guard.sh", 'echo "$(jq -r .tool_input.command)" >> audit.log'
    ),
    "project/.claude/settings.json": settings("exit 0", matcher="Write"),
    "project/.claude/hooks/guard.sh": GUARD,
    "project/.crush/hooks/x": "",
}


#: Returns the words that stand on two lines. Code, paths (whose parts are no words here), and what hooks print may have words of any length, which break.
_BROKEN_WORDS = r"""() => {
    const broken = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
        const node = walker.currentNode, above = node.parentElement;
        if (above.closest("code, pre, kbd, textarea, option, script, .hidden, .skip, .path")) continue;
        for (const word of node.data.matchAll(/(?<![^\s,:;()-])[\p{L}\p{N}_]+(?![^\s.,:;()-])/gu)) {
            const range = document.createRange();
            range.setStart(node, word.index);
            range.setEnd(node, word.index + word[0].length);
            const lines = new Set([...range.getClientRects()].filter((each) => each.width).map((each) => Math.round(each.top)));
            if (lines.size > 1) broken.push(`${word[0]} in <${above.tagName.toLowerCase()} class="${above.className}">`);
        }
    }
    return broken;
}"""


class Program:
    """A running ``sandhook studio``."""

    def __init__(self, top: Path, files: dict[str, str | bytes], *options: str) -> None:
        self.top = top
        self.project = top / "project"
        for directory in (self.project, top / "home"):
            directory.mkdir(parents=True)
        for name, content in files.items():
            path = top / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
        env = {
            **{
                name: os.environ[name] for name in ("PATH", "SYSTEMROOT", "TEMP", "TMP") if name in os.environ
            },
            "HOME": str(top / "home"),
            "USERPROFILE": str(top / "home"),
            "SANDHOOK_CACHE_DIR": str(top / "cache"),
        }
        self.process = subprocess.Popen(
            [sys.executable, "-m", "sandhook", "studio", "--no-browser", *options],
            cwd=self.project,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout is not None
        self.address = self.process.stdout.readline().strip()
        assert self.address.startswith("http://127.0.0.1:"), self.process.communicate(timeout=10)

    @property
    def base(self) -> str:
        return self.address.partition("#")[0]

    def close(self) -> None:
        self.process.terminate()
        self.process.communicate(timeout=30)


class Browsing:
    """One page of the studio.

    Attributes:
        faults: Errors of the page: exceptions, messages of errors, and breaches of the content policy.
    """

    def __init__(self, chromium: Browser, program: Program, scheme: str, width: int) -> None:
        self.program = program
        self.context = chromium.new_context(
            viewport={"width": width, "height": 800}, color_scheme="dark" if scheme == "dark" else "light"
        )
        self.context.set_default_timeout(PATIENCE * 1000)
        self.page = self.context.new_page()
        self.faults: list[str] = []
        self.expected_errors = False
        self.page.on("pageerror", lambda error: self.faults.append(f"exception: {error}"))
        self.page.on("console", self._note)
        self.page.on("request", self._check_host)
        self.page.goto(program.address)
        self.page.wait_for_selector("h1")

    def _note(self, message: Any) -> None:
        if message.type in ("error", "warning") and not self.expected_errors:
            self.faults.append(f"console: {message.text}")

    def _check_host(self, request: Any) -> None:
        if not request.url.startswith(self.program.base.removesuffix("/studio/")):
            self.faults.append(f"a request to {request.url}")

    def go(self, address: str) -> None:
        """Show a view by its address, and wait for it: a page that draws only the last of two addresses keeps its state."""
        self.page.goto(f"{self.program.base}#/{address}")
        view = address.partition("?")[0]
        self.page.locator(f'nav a[aria-current="page"][href^="#/{view}"]').wait_for(state="attached")

    def fire(self, command: str) -> None:
        """Fire a command in the view Fire and wait for the decision."""
        self.go("fire?agent=claude_code&event=PreToolUse")
        self.page.get_by_label("command", exact=True).fill(command)
        self.page.get_by_role("button", name="Fire", exact=True).click()
        self.page.wait_for_selector(".verdict")

    def violations(self) -> list[str]:
        """Return what axe-core finds against WCAG 2.2 AA."""
        spec = find_spec("axe_playwright_python")
        assert spec is not None and spec.origin is not None
        if self.page.evaluate(
            "() => typeof axe === 'undefined'"
        ):  # once for each page: it has half a megabyte
            self.page.evaluate(Path(spec.origin).with_name("axe.min.js").read_text(encoding="utf-8"))
        found = self.page.evaluate(
            "() => axe.run(document, {runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa',"
            " 'best-practice']})"
        )
        return [
            f"{each['id']}: {node['target']}: {node['failureSummary']}"
            for each in found["violations"]
            for node in each["nodes"]
        ]

    def overflow(self) -> int:
        """Return by how many pixels the page is wider than the window."""
        return int(self.page.evaluate("() => document.documentElement.scrollWidth - innerWidth"))

    def broken_words(self) -> list[str]:
        """Return the words of the page that are broken in the middle."""
        return list(self.page.evaluate(_BROKEN_WORDS))

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def tab_to(self, name: str, role: str = "", *, most: int = 60) -> None:
        """Press Tab until an element with a name has the focus."""
        for _ in range(most):
            self.press("Tab")
            if self.focused()[1] == name and role in ("", self.focused()[0]):
                return
        raise AssertionError(f"Tab does not reach {name!r}; it ends at {self.focused()}")

    def focused(self) -> tuple[str, str]:
        """Return the role and the name of the element that has the focus, also within a shadow root."""
        found = self.page.evaluate(
            """() => {
                let at = document.activeElement;
                while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
                const label = at.labels?.[0]?.textContent ?? at.getAttribute("aria-label") ?? at.textContent;
                return [at.getAttribute("role") ?? at.tagName.toLowerCase(), label.trim()];
            }"""
        )
        return found[0], found[1]

    def wait_until(self, condition: str, seconds: float = PATIENCE) -> None:
        """Wait until an expression of JavaScript is true."""
        until = time.monotonic() + seconds
        while not self.page.evaluate(condition):
            assert time.monotonic() < until, condition
            self.page.wait_for_timeout(50)

    def close(self) -> None:
        self.context.close()
