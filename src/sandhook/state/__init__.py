"""What a shell environment holds: variables, options, functions, frames; and control flow."""

from sandhook.state.state import Frame, Function, State

__all__ = ["Frame", "Function", "State"]
