"""Extensions of files that are not shell source, for files without a "#!" line."""

from __future__ import annotations

#: Extension to the first line that makes the file run on every system. A batch file cannot have such a line.
_FIRST_LINES = {
    ".py": "#!/usr/bin/env python3",
    ".pyw": "#!/usr/bin/env python3",
    ".js": "#!/usr/bin/env node",
    ".mjs": "#!/usr/bin/env node",
    ".cjs": "#!/usr/bin/env node",
    ".ts": "#!/usr/bin/env -S npx tsx",
    ".mts": "#!/usr/bin/env -S npx tsx",
    ".cts": "#!/usr/bin/env -S npx tsx",
    ".rb": "#!/usr/bin/env ruby",
    ".pl": "#!/usr/bin/env perl",
    ".php": "#!/usr/bin/env php",
    ".lua": "#!/usr/bin/env lua",
    ".fish": "#!/usr/bin/env fish",
    ".nu": "#!/usr/bin/env nu",
    ".ps1": "#!/usr/bin/env -S pwsh -NoProfile -File",
}

_BATCH = (".bat", ".cmd")

#: Files of Windows Script Host, whose languages have no such line either.
_SCRIPT_HOST = (".vbs", ".vbe", ".jse", ".wsf", ".wsh")


def extension(path: str, windows: bool) -> str:
    """Return the extension in lower case with its dot, or "" when the name has none."""
    name = path.replace("\\", "/") if windows else path
    base = name.rpartition("/")[2]
    stem, dot, last = base.rpartition(".")
    return f".{last.lower()}" if dot and stem else ""


def advice(ending: str) -> str | None:
    """Return why a file of this extension is not run as shell source, and a remedy; None when it may be shell source."""
    if ending in _BATCH:
        return f"a {ending} file needs Windows"
    if ending in _SCRIPT_HOST:
        return f"add {ending!r} to the table of extensions"
    line = _FIRST_LINES.get(ending)
    if line is None:
        return None
    return f"no '#!' line: write '{line}' as its first line, or add {ending!r} to the table of extensions"
