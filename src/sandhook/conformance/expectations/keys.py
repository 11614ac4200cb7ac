"""The keys of a file of expectations with their descriptions: the reader, the schema and the documentation use them."""

from __future__ import annotations

#: Keys that a file has for all its cases, and a case for itself.
_SHARED = {
    "event": "the event: tool.pre and other neutral names, or the agent's own",
    "tool": "the tool: shell, read, write, edit, fetch or search for the agent's own, or a name of the agent",
    "env": "variables of the agent",
    "files": "files that are added to the copy of the project, by path; null removes one",
    "compat": "better, or strict to reproduce the agent with its defects",
    "host": "run the hooks on this machine, on a copy of the project",
}

FILE_KEYS = {
    "version": "the version of this format",
    "hooks": "the hook file, or a list of files, weakest layer first; relative to this file",
    "contract": "the agent; recognised from the hook file without this key",
    "project": "the directory that the hooks see as the project, relative to this file; by default its own, or, in a directory of the agent such as .claude, the agent's project",
    "only": "a regular expression: only hooks whose command has a match run; all hooks without this key",
    **_SHARED,
    "cases": "the events, each with the expected decision",
}

CASE_KEYS = {
    "name": "what the case shows",
    "because": "the reason for the rule, for people; a failure prints it",
    **_SHARED,
    "input": "the tool's input",
    "result": "the tool's result, after the call",
    "error": "the error of a tool that failed",
    "prompt": "the user's message",
    "stop_active": "a stop hook made the agent continue already",
    "payload": "the payload as the agent passes it to a hook, instead of tool, input, result, error and prompt",
    "expect": "the decision, or a mapping with what is expected",
}

EXPECT_KEYS = {
    "decision": "what the hooks decide together",
    "reason": "a regular expression for the reason",
    "context": "a regular expression for the texts that the hooks add",
    "message": "a regular expression for the text that the agent shows instead of what was refused",
    "input": "the tool's input after the changes of the hooks",
    "prompt": "the prompt after the changes of the hooks",
    "result": "the tool's result after the changes of the hooks",
    "files": "regular expressions for the contents of files after the event, by path; null for a file that must not exist",
}
