"""A hook of MkDocs: pages of the site that are files of the repository's root, and links to them.

Pages link to `../CONTRIBUTING.md`, which readers of the repository can follow, too. On the site these files are pages
next to the others, and other files of the repository are named without a link.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[1]

#: Files of the root that are pages, by their names there.
PAGES = {"CHANGELOG.md": "changelog.md", "CONTRIBUTING.md": "contributing.md", "SECURITY.md": "reporting.md"}

#: The first line of generated pages.
_NOTICE = "<!-- Made by `make docs`; do not edit. -->\n"

#: A picture in Mermaid's language, which a page of the repository shows; the site has it as an image.
_MERMAID = re.compile(r"```mermaid\n.*?\n```", re.S)

#: The first line of a block with the name of its file, which MkDocs' extensions read as a title alone.
_NAMED = re.compile(r"^( *```\w+) +([^\s=`]+)$", re.M)

_LINK = re.compile(r"\[([^\]]*)\]\(([^)\s#:]+)(#[^)\s]*)?\)")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    from mkdocs.structure.files import File

    for name, page in PAGES.items():
        files.append(File.generated(config, page, content=(ROOT / name).read_text(encoding="utf-8")))
    return files


def with_titles(text: str) -> str:
    """Return the text of a page whose blocks have the names of their files as titles."""
    return _NAMED.sub(r'\1 title="\2"', text)


def on_page_markdown(text: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Return the text of a page with links that lead somewhere on the site."""
    text = with_titles(text.removeprefix(_NOTICE))  # with the notice the page has no title
    here = posixpath.dirname(page.file.src_uri)
    own = {to: name for name, to in PAGES.items()}.get(page.file.src_uri)

    def link(match: re.Match[str]) -> str:
        label, target, anchor = match[1], match[2], match[3] or ""
        # the place in the repository that the link leads to
        path = posixpath.normpath(posixpath.join("" if own else f"docs/{here}", target))
        place = PAGES.get(path) or (path.removeprefix("docs/") if path.startswith("docs/") else None)
        if place is not None and (ROOT / "docs" / place).is_dir():
            return label
        if place is None:
            return f"{label} (`{path}`)" if path != "README.md" else f"[{label}]({_from(here, 'index.md')})"
        if files.get_file_from_path(place) is None and not own:
            return match[0]  # MkDocs reports it
        return f"[{label}]({_from(here, place)}{anchor})"

    image = _from(here, "images/parts.svg")
    return _LINK.sub(
        link, _MERMAID.sub(f"![The parts of sandhook, and which part imports which]({image})", text)
    )


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Replace each `DIRECTORY/*` of the navigation by the pages of the directory that it does not name elsewhere."""
    named = set(_pages(config.nav))
    config.nav = _expanded(config.nav, named)
    return config


def _pages(nav: Any) -> Iterator[str]:
    if isinstance(nav, str):
        yield nav
    else:
        for each in nav.values() if isinstance(nav, dict) else nav:
            yield from _pages(each)


def _expanded(nav: Any, named: set[str]) -> Any:
    if isinstance(nav, dict):
        return {title: _expanded(each, named) for title, each in nav.items()}
    if not isinstance(nav, list):
        return nav
    result = []
    for each in nav:
        if isinstance(each, str) and each.endswith("/*"):
            found = sorted(
                path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").glob(f"{each}.md")
            )
            result += [page for page in found if page not in named]
        else:
            result.append(_expanded(each, named))
    return result


def _from(here: str, place: str) -> str:
    return posixpath.relpath(place, here or ".")
