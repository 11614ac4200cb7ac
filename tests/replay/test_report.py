"""The report in a real browser: plots are drawn, filters and pages work, and payloads stay text."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sandhook.hooks.event import JsonObject
from sandhook.journal.reading import plan
from sandhook.journal.schema import Entry
from sandhook.replay.engines.local import LocalEngine
from sandhook.replay.folding import ChangedRow, changed_row
from sandhook.replay.job import Job
from sandhook.replay.report.page import write_report
from sandhook.replay.run import Result, replayed, result_json
from sandhook.replay.store import Rows
from sandhook.replay.tally import Tally
from tests.replay.replaytools import bundle, entries, entry, write

EVIL = "</script><script>document.title='broken'</script><img src=x onerror=\"document.title='broken'\">"


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave the plots out: the library needs seconds to be put together."""
    monkeypatch.setattr(
        "sandhook.replay.report.page.plot_library", lambda: "window.vegaEmbed = async () => {};"
    )


def report(path: Path, events: list[Entry], script: str = "echo no >&2; exit 2") -> Path:
    record = write(path / "r", events)
    job = Job(bundle(script, "*"), runs=True)
    with replayed(job, plan([str(record)]), lambda: LocalEngine(job)) as result:
        write_report(
            str(path / "report.html"), result_json(result), result, ["newly_refused>0"], hooks=["h.json"]
        )
    return path / "report.html"


def test_no_payload_is_in_the_page_as_it_is(tmp_path: Path, library: None) -> None:
    hostile = entry(1, EVIL)._replace(id=EVIL, tool=EVIL)
    text = report(tmp_path, [hostile], f'echo "{EVIL.replace(chr(34), chr(39))}" >&2; exit 2').read_text()
    assert "onerror" not in text and "default-src 'none'" in text
    assert text.count("</script>") == text.count("<script"), "no data ends an element"


def test_a_report_needs_its_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    from sandhook.replay.errors import ReplayError

    monkeypatch.setitem(sys.modules, "vl_convert", None)
    with pytest.raises(ReplayError, match=r"needs the extra sandhook\[replay\]"):
        report(tmp_path, [entry(1)])


@pytest.fixture
def browser() -> Iterator[Any]:
    playwright = pytest.importorskip("playwright.sync_api")
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("chromium")
    flags = [
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--no-first-run",
        "--disable-background-networking",
    ]
    with playwright.sync_playwright() as running:
        started = running.chromium.launch(executable_path=chromium, args=flags)
        yield started
        started.close()


def opened(browser: Any, path: Path, seconds: float = 120) -> tuple[Any, list[str]]:
    """Open a report; return the page, and what it asked of the network or reported as an error."""
    page, faults = browser.new_page(), list[str]()
    page.on("request", lambda request: request.url.startswith("file:") or faults.append(request.url))
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.goto(path.as_uri())
    page.wait_for_selector("body[data-ready=yes]", timeout=seconds * 1000, state="attached")
    return page, [fault for fault in faults if not fault.startswith(("data:", "blob:"))]


@pytest.mark.slow
def test_plots_filters_and_runs_in_chromium(tmp_path: Path, browser: Any) -> None:
    pytest.importorskip("vl_convert")
    path = report(tmp_path, [*entries(200), entry(900, EVIL)])
    page, faults = opened(browser, path)
    assert faults == []
    assert page.locator("#timeline svg path").count() > 5 and page.locator("#latency svg path").count() > 2
    assert "201 events fired" in page.inner_text("#at-a-glance")
    assert page.inner_text("#broken") == "Broken: newly_refused>0"
    assert page.locator("#table tbody tr.row").count() == 50
    first = page.inner_text("#table tbody tr.row >> nth=0")
    page.click("#after")
    assert page.inner_text("#table tbody tr.row >> nth=0") != first and ", page 2 of" in page.inner_text(
        "#page"
    )
    page.fill("#filter", "git push")
    count = page.locator("#table tbody tr.row").count()
    assert 0 < count <= 50
    assert all("git push" in text for text in page.locator("#table tbody tr.row").all_inner_texts())
    page.click("#table tbody tr.row >> nth=0")
    page.wait_for_selector("td.detail pre")
    detail = page.inner_text("td.detail")
    assert (
        "git push --force origin" in detail
        and "exit 2" in detail
        and "sandhook replay RECORD --hooks 'h.json'" in detail
    )
    page.fill("#filter", "onerror")
    page.fill("#filter", "")
    page.select_option("#change", "newly_refused")
    assert "newly refused" in page.inner_text("#table tbody tr.row >> nth=0")
    page.click("button.card.changed")
    assert page.input_value("#change") == "changed"


@pytest.mark.slow
def test_hostile_payloads_stay_text_in_chromium(tmp_path: Path, browser: Any, library: None) -> None:
    hostile = entry(1, EVIL)._replace(id=EVIL, agent="claude_code")
    page, faults = opened(
        browser, report(tmp_path, [hostile], f'echo "{EVIL.replace(chr(34), chr(39))}" >&2; exit 2')
    )
    page.click("#table tbody tr.row")
    page.wait_for_selector("td.detail pre")
    assert faults == [] and page.title() == "sandhook replay"
    assert page.locator("img").count() == 0 and EVIL in page.inner_text("td.detail").replace('\\"', '"')


def hostile_row(number: int, decided: JsonObject) -> ChangedRow:
    lasting: JsonObject = {
        "time": f"2026-01-01T00:00:{number:09}",
        "id": f"{number:08x}",
        "agent": "claude_code",
        "event": "PreToolUse",
        "tool": EVIL if number % 5 == 0 else "Bash",
        "hook": f"hook{number % 7}",
        "shape": f"rm -{number % 100} {EVIL}",
        "changes": ["newly_refused"],
        "parts": [],
        "old": {**decided, "refused": False},
        "new": {**decided, "reason": f"no \u202e\u0007 {EVIL}"},
    }
    measured: JsonObject = {"slower": False, "old_ms": 1.0, "new_ms": 2.0}
    return changed_row(lasting, measured, ("newly_refused",))


@pytest.mark.slow
def test_a_hundred_thousand_events_are_usable(tmp_path: Path, browser: Any, library: None) -> None:
    rows = Rows(str(tmp_path / "rows.db"))
    count = 100_000
    decided: JsonObject = {
        "refused": True,
        "permission": "deny",
        "force_continue": False,
        "reason": "no",
        "changes": None,
        "could_not_run": [],
    }
    for start in range(0, count, 10_000):
        rows.add([hostile_row(number, decided) for number in range(start, start + 10_000)])
    rows.finish()
    tally = Tally()
    tally.counts["newly_refused"] = count
    result = Result(tally, rows, (), 0, ())
    path = tmp_path / "report.html"
    write_report(str(path), result_json(result), result, [], hooks=["h.json"])
    rows.close()
    assert path.stat().st_size < 12 << 20
    page, faults = opened(browser, path)
    assert faults == [] and "100,000 events, page 1 of 2,000" in page.inner_text("#page")
    page.fill("#filter", "hook3")
    assert page.inner_text("#page").startswith("14,28")
    page.fill("#filter", "0001869f")
    assert page.locator("#table tbody tr.row").count() == 1
    assert page.locator("tr").count() < 400, "only one page is in the document"
    page.click("#table tbody tr.row")
    page.wait_for_selector("td.detail pre")
    assert "is not in this file: fire it again" in page.inner_text("td.detail")
    assert page.title() == "sandhook replay" and page.locator("img").count() == 0


@pytest.mark.slow
@pytest.mark.parametrize("width", [1280, 360])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_fits_a_telephone_and_the_dark(
    tmp_path: Path, browser: Any, width: int, scheme: str
) -> None:
    pytest.importorskip("vl_convert")
    path = report(tmp_path, [*entries(120), entry(900, EVIL)])
    page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    page.goto(path.as_uri())
    page.wait_for_selector("body[data-ready=yes]", timeout=120_000, state="attached")
    page.click("#table tbody tr.row")
    page.wait_for_selector("td.detail pre")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    back, text = (
        page.evaluate(f"getComputedStyle(document.body).{name}") for name in ("backgroundColor", "color")
    )
    brightness = [sum(map(int, re.findall(r"\d+", colour)[:3])) / 3 for colour in (back, text)]
    assert (brightness[0] > 200 > 60 > brightness[1]) is (scheme == "light")
    assert abs(brightness[0] - brightness[1]) > 150
    assert page.locator("#timeline svg path").count() > 5
    label = page.locator("#timeline svg text").first.evaluate("node => getComputedStyle(node).fill")
    assert abs(sum(map(int, re.findall(r"\d+", label)[:3])) / 3 - brightness[0]) > 100
    page.screenshot(path=str(tmp_path / f"{scheme}-{width}.png"), full_page=True)
