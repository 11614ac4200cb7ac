"""What a hook of Grok Build makes of a call of a server's tool: its arguments are those of ``use_tool``."""

from __future__ import annotations

import json

from tools.agents.records import Object

_OTHER: Object = {"name": "other"}
#: What hooks make of the arguments of use_tool, by the last part of an identifier.
CHANGED_CALLS: dict[str, Object] = {
    "whole": {"tool_name": "srv__touch", "tool_input": _OTHER},
    "input": {"tool_input": _OTHER},
    "tool": {"tool_name": "srv__touch"},
    "both": {"tool_name": "srv__touch", "tool_input": _OTHER, "tool_input_file": "x"},
    "extra": {"tool_name": "srv__touch", "tool_input": _OTHER, "nosuch": 1},
    "text": {"tool_name": "srv__touch", "tool_input": json.dumps(_OTHER)},
    "number": {"tool_name": 5, "tool_input": _OTHER},
    "fraction": {"tool_name": 5.5, "tool_input": _OTHER},
    "list": {"tool_name": ["srv__touch"], "tool_input": _OTHER},
    "truth": {"tool_name": True, "tool_input": _OTHER},
    "object": {"tool_name": {}, "tool_input": _OTHER},
    "null-tool": {"tool_name": None, "tool_input": _OTHER},
    "null-file": {"tool_name": "srv__touch", "tool_input": _OTHER, "file": None},
    "file-number": {"file": 5},
    "other": {"tool_name": "nosuch", "tool_input": _OTHER},
    "mixed": {"name": "other", "tool_name": "srv__touch", "tool_input": {"name": "second"}},
    "empty": {},
    "null-input": {"tool_name": "srv__touch", "tool_input": None},
    "file": {"file": "call.json"},
    "input-file": {"tool_name": "srv__touch", "tool_input_file": "call.json"},
}
