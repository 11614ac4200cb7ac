"""What a shell environment holds: variables, options, functions, frames; and control flow."""

from sandhook.state.frame import Frame
from sandhook.state.function import Function
from sandhook.state.state import State

__all__ = ["Frame", "Function", "State"]
