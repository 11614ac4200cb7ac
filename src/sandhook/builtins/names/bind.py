"""bind: key bindings of line editing.

Source: bash 5.2 reference manual 4.2.
Divergence: L-BIND-001, a shell without a terminal has no key bindings, macros and variables of line editing.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.builtins.base import USAGE_STATUS, BuiltinError, builtin, parse, print_error, show_usage, write
from sandhook.builtins.names.line_functions import LINE_FUNCTIONS
from sandhook.interp.script import read_script
from sandhook.state.state import State
from sandhook.vfs.errors import error_text

USAGE = (
    "bind [-lpsvPSVX] [-m keymap] [-f filename] [-q name] [-u name] [-r keyseq] [-x keyseq:shell-command] "
    "[keyseq:readline-function or readline-command]"
)
_KEYMAPS = frozenset({
    "emacs", "emacs-ctlx", "emacs-meta", "emacs-standard", "vi", "vi-command", "vi-insert", "vi-move",
})  # fmt: skip


@builtin(USAGE)
def run(state: State, argv: Sequence[str]) -> int:
    """Return 1 for an unknown keymap or function, or a file that cannot be read; bash's warning comes first."""
    print_error(state, "bind: warning: line editing not enabled")
    if argv[1:2] == ["--help"]:
        show_usage(state, "bind", USAGE)
        return USAGE_STATUS
    options, _ = parse(argv, "lpsvPSVXm:f:q:u:r:x:")
    given = {option.letter: option.argument for option in options}
    if "m" in given and given["m"] not in _KEYMAPS:
        raise BuiltinError(f"`{given['m']}': invalid keymap name")
    if "l" in given:
        write(state, "".join([f"{name}\n" for name in LINE_FUNCTIONS]))
    if "f" in given:
        _read(state, given["f"])
    for letter in "qu":
        if letter in given and given[letter] not in LINE_FUNCTIONS:
            raise BuiltinError(f"`{given[letter]}': unknown function name")
    if "q" in given:
        write(state, f"{given['q']} is not bound to any keys.\n")
        return 1
    if "x" in given and given["x"].lstrip(" \t")[:1] != '"':
        raise BuiltinError(f"{given['x']}: first non-whitespace character is not `\"'")
    return 0


def _read(state: State, name: str) -> None:
    """Raise BuiltinError unless the file of settings can be read; nothing here has a use for them."""
    try:
        read_script(state, name)
    except OSError as error:
        raise BuiltinError(f"{name}: cannot read: {error_text(error)}") from None
