"""What a shell environment holds: variables, options, functions, frames; and control flow."""

from sandhook.state.frame import Frame
from sandhook.state.state import Function, State

__all__ = ["Frame", "Function", "State"]
