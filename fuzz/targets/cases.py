"""Files of shell cases: cases, and errors with their lines."""

from __future__ import annotations

from collections.abc import Iterable

from fuzz.pieces import Pieces, promise
from fuzz.samples import ROOT, spread
from sandhook.conformance.model import CaseError
from sandhook.conformance.reader import is_own, read, read_all

WORDS = (
    *(
        "#### a\n",
        "## source: x\n",
        "## oracle: bash>=5.2 dash\n",
        "## STDOUT:\n",
        "## STDERR:\n",
        "## END\n",
    ),
    *(
        "## status: 1\n",
        "## stdout: x\n",
        '## stdout-json: "a\\n"\n',
        "## OK dash status: 2\n",
        "## BUG dash/mksh ",
    ),
    *(
        "## N-I dash ",
        "## expected_failures: 1\n",
        "## divergence: L-X-001\n",
        "## code: ",
        "## stdout-repr: 'a\\x41'\n",
    ),
    *("## compare_shells: bash\n", "echo a\n", "\r\n", "## ", "\n\n"),
)

PATHS = ("a.test", "a.test.sh")


def seeds() -> Iterable[bytes]:
    paths = sorted((ROOT / "conformance").glob("*/*.test"), key=lambda path: path.stat().st_size)
    for path in spread(paths[: len(paths) // 3], 8):
        yield b"\0" + path.read_bytes()
    yield b'\1#### a\necho x\n## stdout: x\n## OK dash stdout-json: "y\\n"\n## N-I mksh status: 1\n'


def target(data: bytes) -> None:
    pieces = Pieces(data)
    path = pieces.choice(PATHS)
    try:
        text = pieces.rest().decode("utf-8")
    except UnicodeDecodeError:
        return
    is_own(text, path)
    lines = text.count("\n") + 2
    file, errors = read_all(text, path)
    for error in errors:
        promise(str(error) and 0 <= error.line <= lines, "an error has a line", error.line, text)
    try:
        promise(read(text, path) == file, "a file without errors is read alike", text)
    except CaseError:
        promise(errors, "an error is among all errors", text)
    for case in file.cases:
        promise(errors or (case.name and case.script.strip()), "a case has a name and a script", text)
