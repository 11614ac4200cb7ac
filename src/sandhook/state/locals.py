"""Local variables: what a call hides, and brings back at its end."""

from __future__ import annotations

from collections.abc import Callable

from sandhook.state.control import ShellError, readonly_error
from sandhook.state.frame import UNSET_BEFORE, Frame, Saved, TemporaryScope
from sandhook.state.state import State
from sandhook.state.values import ARRAY, ASSOC, DECLARED, DYNAMIC, READONLY

#: Computed variables that no local can hide.
_FIXED = frozenset(("BASH_ARGC", "BASH_ARGV", "BASH_LINENO", "BASH_SOURCE", "FUNCNAME", "GROUPS"))


def function_frame(state: State) -> Frame | None:
    """Return the innermost frame that is a function's, or None. It may be changed."""
    if state.shared_frames:
        state.unshare_frames()
    for frame in reversed(state.frames):
        if not frame.sourced:
            return frame
    return None


def keep_parameters(state: State) -> None:
    """Keep the positional parameters for the end of BASH_ARGV, unless others were kept before."""
    if state.memo.parameters is None:
        state.memo = state.memo._replace(parameters=tuple(state.positional))


def switch_extdebug(state: State, on: bool) -> None:
    """Keep for BASH_ARGV what extdebug has recorded until now, or begin to record calls."""
    if on == ("extdebug" in state.options.shopts):
        return
    state.unshare_frames()
    for frame in state.frames:
        if isinstance(frame.arguments, list):
            frame.arguments = None if on else tuple(frame.arguments)
    if on:
        keep_parameters(state)
    state.set_shopt("extdebug", on)


def temporary_scope(state: State, name: str) -> TemporaryScope | None:
    """Return the scope of ``name=value eval ...`` if no call within it has a variable of this name."""
    frames = state.frames
    for scope in reversed(state.temporary_scopes):
        if name in scope.saved:
            return None if any(name in frame.saved for frame in frames[scope.depth :]) else scope
    return None


def is_temporary(state: State, name: str) -> bool:
    """Return True if the visible variable was made by an assignment before a call or a built-in that still runs."""
    if temporary_scope(state, name) is not None:
        return True
    for frame in reversed(state.frames):
        if name in frame.saved:
            return name in frame.assigned_before
    return False


def make_local(state: State, name: str) -> None:
    """Hide ``name`` in the current function; it is unset afterwards.

    A name that is already local here stays as it is.
    """
    frame = function_frame(state)
    if frame is None:
        raise ShellError("can only be used in a function", 1)
    if name in frame.saved:
        return
    if name in _FIXED and name in state.dynamics:
        raise ShellError(f"{name}: variable may not be assigned value", 1)
    bits = state.attributes.get(name, 0)
    if bits & READONLY and not any(name in outer.saved for outer in state.frames):
        raise readonly_error(name)  # a caller's own may be hidden, a global not
    if name in state.dynamics and name not in state.unset_dynamics:
        bits |= DYNAMIC  # the local is a plain one, unless it switches something
    if name in state.attributes:
        bits |= DECLARED
    frame.saved[name] = Saved(state.values.get(name), bits, state.namerefs.get(name))
    state.values.pop(name, None)
    state.namerefs.pop(name, None)
    state.attributes.pop(name, None)
    if bits & DYNAMIC:
        unset = state.dynamics[name].unset
        if unset is None:
            state.unset_dynamics = state.unset_dynamics | {name}
        else:  # a variable that switches an option does so here as well
            unset(state)


def with_hidden(state: State, saved: dict[str, Saved], action: Callable[[], None]) -> None:
    """Call ``action`` while the variables are as they were before the temporary assignments."""
    current = {name: state.save(name) for name in saved}
    plain = state.unset_dynamics.intersection(saved)
    for name, hidden in saved.items():
        state.restore(name, hidden)
    try:
        action()
    finally:
        for name, temporary in current.items():
            state.restore(name, temporary)
        if plain:  # computed variables, which the assignments made plain
            state.unset_dynamics = state.unset_dynamics | plain


def hide_in_call(state: State, frame: Frame, name: str) -> bool:
    """Let the value of ``x=1 local x`` become that of the local; return False without such an assignment.

    What the assignment hides returns when the call ends.
    """
    pending = state.pending_temporaries
    if pending is None or name not in pending:
        return False
    hidden = pending.pop(name)
    frame.saved.setdefault(name, hidden)
    frame.temporary = frame.temporary - {name}
    frame.assigned_before = frame.assigned_before - {name}
    return True


def keep_assigned(state: State, name: str) -> None:
    """Keep the value of a variable that was assigned before a command: ``x=1 export x``, or ``x=1 f`` with it in f."""
    if name in state.namerefs:
        name = state.resolve(name)[0]
    pending = state.pending_temporaries or {}
    hidden = pending.get(name)
    if hidden is not None:
        if hidden.target is not None and hidden.target.endswith("]"):
            return  # a reference to an element keeps nothing
        del pending[name]
        kept = state.save(name)
        state.restore(name, hidden)
        _assign_kept(state, name, kept)
        return
    frame = _frame_of(state, name)
    if frame is not None and name in frame.assigned_before:
        frame.exported = frame.exported | {name}


def _frame_of(state: State, name: str) -> Frame | None:
    """Return the innermost call that has a variable of its own of this name. It may be changed."""
    if state.shared_frames:
        state.unshare_frames()
    for frame in reversed(state.frames):
        if name in frame.saved:
            return frame
    return None


def keep_in_scopes(state: State, name: str, *, by_declare: bool) -> None:
    """Keep the value of a variable that was assigned before eval or ``.``: as in bash, it becomes the global one.

    ``by_declare``: the command is declare or typeset. Of export and readonly, bash keeps it only in a function
    that calls eval itself.
    """
    scope = temporary_scope(state, name)
    if scope is None:
        return
    in_caller = scope.depth > 0 and all(frame.sourced for frame in state.frames[scope.depth :])
    if not (by_declare or in_caller):
        return
    for scope in state.temporary_scopes:
        scope.saved.pop(name, None)
    state.unshare_frames()
    for frame in state.frames:
        if name in frame.saved:
            frame.saved[name] = state.save(name)


def leave(state: State, frame: Frame) -> None:
    """Bring back what the locals of ``frame`` hid."""
    if frame.exported or state.unset_dynamics:
        for name, saved in frame.saved.items():
            kept = state.save(name) if name in frame.exported else None
            state.restore(name, saved)
            if kept is not None and kept.value is not None:
                _pass_on(state, name, kept, was_local=name not in frame.temporary)
    else:  # restore, for names that are not computed
        values, attributes, namerefs = state.values, state.attributes, state.namerefs
        for name, saved in frame.saved.items():
            if saved is UNSET_BEFORE:
                if name in values:
                    del values[name]
                if name in attributes:
                    del attributes[name]
                if name in namerefs:
                    del namerefs[name]
                continue
            value, bits, target = saved
            if value is None:
                values.pop(name, None)
            else:
                values[name] = value
            if bits:
                if bits & DYNAMIC:  # one that switches something
                    state.restore(name, saved)
                    continue
                attributes[name] = bits & ~DECLARED
            elif name in attributes:
                del attributes[name]
            if target is not None:
                namerefs[name] = target
            elif name in namerefs:
                del namerefs[name]
    if frame.options is not None:
        state.options = frame.options.with_shopts_of(state.options)  # local - keeps set's alone
        state.update_instrumented()


def _pass_on(state: State, name: str, kept: Saved, *, was_local: bool) -> None:
    """Let an exported variable that was assigned before a call become one of the caller, which it outlives, too.

    As in bash, the caller has a variable of its own then, which ``unset`` removes, unless the call made it a local
    (``was_local``). Assignments before an ``eval`` of the caller do not hide it.
    """
    hidden = state.save(name)
    for scope in reversed(state.temporary_scopes):
        if scope.depth == len(state.frames):
            hidden = scope.saved.pop(name, hidden)
    caller = function_frame(state)
    if caller is not None:
        caller.exported = caller.exported | {name}
        if name not in caller.saved:
            caller.saved[name] = hidden
            if not was_local:
                caller.temporary = caller.temporary | {name}
            caller.assigned_before = caller.assigned_before | {name}
            state.restore(name, kept)
            return
    _assign_kept(state, name, kept)


def _assign_kept(state: State, name: str, kept: Saved) -> None:
    """Assign the value of a variable to the one that it hid, which keeps its attributes and elements."""
    if isinstance(kept.value, str) and not kept.attributes & DYNAMIC:
        try:
            state.set(name, kept.value)
        except ShellError as error:  # the hidden one is an integer, and this is no expression
            state.shell.error(state, error.message)
        name = state.resolve(name)[0] if name in state.namerefs else name
        bits = state.attributes.get(name, 0) | kept.attributes & ~(ARRAY | ASSOC | DECLARED)
        if bits:
            state.attributes[name] = bits
    else:
        state.restore(name, kept)
