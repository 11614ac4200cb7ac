"""Find code in src that nothing uses: `python tools/dead_code.py`, which `make lint` and `make test` run.

vulture reads names, not types, so it reports what is called by name, by a library or by a caller outside src.
USED lists those names, each with its reason. A name in USED that hides nothing is an error, too.
"""

from __future__ import annotations

import fnmatch
import sys
from pathlib import Path

from vulture import Vulture

ROOT = Path(__file__).resolve().parents[1]

#: Patterns of names to the reason why they are used.
USED = {
    "__call__ __class_getitem__ __getattr__ __init_subclass__": "Python calls them",
    "__package__ __path__ has_location": "the import system reads them from a module, or its spec",
    "_": "argparse translates its headings by this name",
    "makefile readinto": "http.client calls them on its socket",
    "daemon_threads disable_nagle_algorithm handle_error log_message protocol_version request_queue_size": "socketserver",
    "do_* close_connection": "http.server",
    "official_plug_ins": "ruamel.yaml calls it",
    "object_hook": "_json reads it",
    "text_factory": "sqlite3 reads it",
    "handle_exit sig force_exit keep_alive": "uvicorn calls or reads them",
    "pause_writing resume_writing pipe_data_received pipe_connection_lost process_exited": "asyncio calls them",
    "max_mem log_errors longest_match never_capture case_sensitive": "RE2 reads its options",
    "TRUE": "libjq's kinds of values are a range",
    "start_field start_char": "a key of sort is unpacked as a tuple",
    "fire_native windows_command_line proceed continuation chaos": "the public interface, for callers",
    "hook_middleware hook_matchers bash_server bash_tool shell_executor as_tool run_sync aend": "of bridges, for callers",
    "HookPlugin HookMiddleware HookRunner HookToolset": "of bridges, for callers",
    "*_callback _get_declaration run_async skip_summarization": "Google ADK calls or reads them",
    "sandhook_laps sandhook_ended state_schema *before_agent *after_agent *before_model *wrap_tool_call": "LangChain",
    "for_run wrap_node_run wrap_tool_execute": "Pydantic AI calls them",
    "run_in_parallel skip_forward_signature_validation": "the OpenAI Agents SDK and smolagents read them",
    "grammar host_functions skew asks_input": "keys of a TypedDict",
    "_check_value": "argparse calls it",
    "end_time": "a parameter of a protocol, as OpenTelemetry names it",
    "allow_reuse_address": "socketserver reads it",
    "gr_context": "greenlet reads it",
    "pytest_* runtest reportinfo sandhook_shell hook_engine": "pytest calls them",
    "InterpreterOf": "an alias in a string names it",
}


def is_option(path: Path, line: int) -> bool:
    """Return True for a field of an ``Options``: the parser sets it, and commands.md describes it."""
    text = path.read_text(encoding="utf-8").splitlines()[line - 1]
    return " = opt(" in text or " = also(" in text


def main() -> int:
    vulture = Vulture()
    vulture.scavenge([str(ROOT / "src"), str(ROOT / "docs" / "generate.py")])
    patterns = {pattern: False for names in USED for pattern in names.split()}
    status = 0
    for item in vulture.get_unused_code(min_confidence=60):
        path = Path(item.filename)
        matching = [pattern for pattern in patterns if fnmatch.fnmatchcase(item.name, pattern)]
        patterns |= dict.fromkeys(matching, True)
        if not matching and not is_option(path, item.first_lineno) and path.name != "generate.py":
            print(f"{path.relative_to(ROOT)}:{item.first_lineno}: unused {item.typ} {item.name!r}")
            status = 1
    for pattern, hides in patterns.items():
        if not hides:
            print(f"tools/dead_code.py: USED lists {pattern!r}, which hides nothing: remove it")
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
