"""Declares variables, for declare, local, export and readonly.

Source: bash 5.2 reference manual 4.2 (declare, local), 4.1 (export, readonly). Messages are bash's.
"""

from __future__ import annotations

from sandhook.builtins.base import BuiltinError, invalid_name, runtime, split_reference
from sandhook.builtins.variables.elements import ElementsError, read_elements
from sandhook.builtins.variables.variables import own_value
from sandhook.record import Record
from sandhook.state.assigned import Assigned, Elements, reference_of
from sandhook.state.assignment import assign
from sandhook.state.control import Discard, ShellError, readonly_error, subscript_error
from sandhook.state.frame import Saved
from sandhook.state.locals import (
    function_frame,
    hide_in_call,
    is_temporary,
    keep_assigned,
    keep_in_scopes,
    make_local,
    temporary_scope,
)
from sandhook.state.references import last_reference
from sandhook.state.state import State
from sandhook.state.values import (
    ARRAY,
    ASSOC,
    CAPITAL,
    EXPORT,
    INTEGER,
    LARGE,
    LOWER,
    READONLY,
    UPPER,
    AssociativeArray,
    IndexedArray,
    held,
)
from sandhook.text.names import is_name

_CASE = UPPER | LOWER | CAPITAL


class Request(Record):
    """The options of one declaration command.

    Attributes:
        add, remove: Attribute bits (``-i`` and ``+i``).
        nameref: True for ``-n``, False for ``+n``, None for neither.
        local: Names become local to the current function.
        global_: ``-g``: in a function, act on the global variable.
        inherit: ``-I``: a local starts with the value and attributes that it hides.
        quiet_readonly: A readonly name is reported without the name of the built-in (export, readonly).
        command: The name of the built-in, for warnings.
    """

    add: int = 0
    remove: int = 0
    nameref: bool | None = None
    local: bool = False
    global_: bool = False
    inherit: bool = False
    quiet_readonly: bool = False
    command: str = "declare"


def split_argument(
    state: State, argument: str | Assigned, request: Request
) -> Assigned | tuple[str, str | None]:
    """Parse one argument: an assignment, or a name with an optional subscript.

    Raises:
        BuiltinError: It is neither.
    """
    if not isinstance(argument, str):
        name, subscript, append, value = argument
        if subscript == "":
            raise subscript_error(f"{name}[]")
        if isinstance(value, str) and value[:1] == "(" and _is_compound(state, argument, request):
            return Assigned(name, None, append, _elements(state, value))
        return argument
    head, equals, value = argument.partition("=")
    # A subscript may hold "=": a[b=1]=2.
    if "[" in head and not head.endswith(("]", "]+")) and "]" in value:
        close = argument.find("]")
        head, equals, value = argument[: close + 1], argument[close + 1 : close + 2], argument[close + 2 :]
        if equals == "+" and value[:1] == "=":
            head, equals, value = head + "+", "=", value[1:]
    append = bool(equals) and head[-1:] == "+"
    reference = split_reference(head[:-1] if append else head)
    if reference is None:
        named = head.removesuffix("+")
        if equals and named[-2:] == "[]" and is_name(named[:-2]):
            raise subscript_error(named)
        raise invalid_name(argument)
    name, subscript = reference
    if not equals:
        return name, subscript
    if _is_compound(state, Assigned(name, subscript, append, value), request):
        return Assigned(name, None, append, _elements(state, value))
    if subscript is not None:
        subscript = runtime(state).subscript_text(state, name, subscript)
    return Assigned(name, subscript, append, value)


def _elements(state: State, text: str) -> Elements:
    """Return the elements of a text; an error in it ends the input unit, as in bash."""
    try:
        return read_elements(text)
    except ElementsError as error:
        shell = runtime(state)
        label = f"{shell.where(state).rpartition(': line ')[0]}: array assign: line "
        inner = text[1:-1]
        if error.unclosed:
            lines = 1 + inner.count("\n")
            read = lines + (error.token == ")")  # bash counts the lines of what is open from 1
            messages = (
                f"{read}: unexpected EOF while looking for matching `{error.token}'",
                f"{state.line + lines}: syntax error: unexpected end of file",
            )
        else:
            messages = (
                f"{state.line}: syntax error near unexpected token `{error.token}'",
                f"{state.line}: `{inner}'",
            )
        shell.write_error(state, "".join(f"{label}{message}\n" for message in messages))
        raise Discard(1) from None


def _is_compound(state: State, assigned: Assigned, request: Request) -> bool:
    """Return True when a text such as "(1 2)" is parsed as the elements of an array."""
    name, subscript, _, value = assigned
    assert isinstance(value, str)
    if value[:1] != "(" or value[-1:] != ")":
        return False
    if request.add & (ARRAY | ASSOC):
        return True
    if subscript is not None:
        is_array = isinstance(own_value(state, name), (IndexedArray, AssociativeArray))
        if not (is_array or request.local):
            text = f"{reference_of(assigned)}={value}"
            state.shell.warning(state, f"{text}: quoted compound array assignment deprecated")
        return False
    if request.local:
        frame = function_frame(state)
        if frame is None or name not in frame.saved:  # the new local is not an array yet
            return False
    return bool(state.attributes.get(name, 0) & (ARRAY | ASSOC)) or isinstance(
        own_value(state, name), (IndexedArray, AssociativeArray)
    )


def declare_one(state: State, argument: str | Assigned, request: Request) -> None:
    """Declare one name. Raises BuiltinError or ShellError; the caller continues with the next argument."""
    declaration = split_argument(state, argument, request)
    if isinstance(declaration, Assigned):
        name, assigned = declaration.name, declaration
        indexed = declaration.subscript is not None
    else:
        name, assigned = declaration[0], None
        indexed = declaration[1] is not None
    if len(name) > LARGE:
        name = held(name, state.budget)
        assigned = assigned._replace(name=name) if assigned else None
    if request.nameref and assigned is not None:
        _check_target(state, name, assigned, indexed, request)
    elif request.local and request.nameref is None and name in state.namerefs:
        frame = function_frame(state)
        if frame is not None and name in frame.saved:  # a local reference: its target becomes local
            name = state.resolve(name)[0]
            assigned = assigned._replace(name=name) if assigned else None
    if request.local:
        frame = function_frame(state)
        own = frame is not None and name in frame.saved  # not that of a caller
        if request.add & (EXPORT | READONLY) and own and name not in (state.pending_temporaries or ()):
            keep_assigned(state, name)  # a temporary assignment outlives the call, as after export
        listed = assigned is not None and isinstance(assigned.value, list)
        is_array = listed or indexed or bool(request.add & (ARRAY | ASSOC))
        _localize(state, name, request, is_array=is_array)
        if listed and not own:
            state.namerefs.pop(name, None)  # an inherited reference does not become an array
    elif request.global_:
        saved = _saved_global(state, name)
        if saved is not None:
            _declare_global(state, saved, name, assigned, indexed, request)
            return
    elif request.add & (EXPORT | READONLY) and function_frame(state) is None:
        keep_assigned(state, name)
    _declare(state, name, assigned, indexed, request)
    if request.add & (EXPORT | READONLY):
        keep_in_scopes(state, name, by_declare=not request.quiet_readonly)


def _declare(state: State, name: str, assigned: Assigned | None, indexed: bool, request: Request) -> None:
    shown = name
    if request.nameref is None and name in state.namerefs:
        _check_new_target(state, name, assigned, request)
        name, assigned, indexed = _follow(state, name, assigned, indexed, request)
    bits = state.attributes.get(name, 0)
    add = request.add
    both = add & ARRAY and add & ASSOC
    if both:  # as in bash: it becomes associative, then the command fails
        add &= ~ARRAY
        request = request._replace(add=add)
    _check_arrays(state, name, shown, assigned, request)
    if request.remove & READONLY and bits & READONLY:
        raise _readonly(name, request)
    if assigned is not None and bits & READONLY:
        if request.quiet_readonly:  # the assignment fails, and bash exports the name in spite of that
            state.attributes[name] = (bits | add & EXPORT) & ~(request.remove & EXPORT)
        raise _readonly(name, request)
    if request.nameref is not None:
        _set_reference(state, name, assigned, bits, request)
        return
    readonly_bit = add & READONLY
    add &= ~READONLY
    listed = assigned is not None and isinstance(assigned.value, list)
    if state.options.allexport and not (request.local or indexed or add & (ARRAY | ASSOC)):
        add |= 0 if name in state.values or name in state.attributes else EXPORT
    if (indexed or listed) and not (bits | add) & ASSOC:
        add |= ARRAY
    if add & _CASE:
        bits &= ~_CASE
        if (add & _CASE) & ((add & _CASE) - 1):  # two of them cancel each other
            add &= ~_CASE
    state.attributes[name] = (bits | add) & ~(request.remove & ~(ARRAY | ASSOC))
    if add & (ARRAY | ASSOC):
        _make_array(state, name)
    if assigned is not None:
        try:
            assign(state, assigned)
        except ShellError as error:
            raise error.unnamed() if listed and error.names_builtin else error from None
        if add & (ARRAY | ASSOC) and not bits & EXPORT:
            # set -a does not apply to arrays
            state.attributes[name] = state.attributes.get(name, 0) & ~(EXPORT & ~add)
    if listed and request.remove & ARRAY and not bits & ASSOC:
        raise BuiltinError(f"{name}: cannot destroy array variables in this way")
    if readonly_bit:
        state.attributes[name] = state.attributes.get(name, 0) | readonly_bit
    if not state.attributes.get(name) and name in state.values:
        state.attributes.pop(name, None)  # plain again: the fast path of assignments
    if both:
        raise BuiltinError(f"{name}: cannot convert associative to indexed array")


def _check_new_target(state: State, name: str, assigned: Assigned | None, request: Request) -> None:
    """Reject a value that would become the target of a reference without one, unless it is a name."""
    if not request.local or assigned is None or not isinstance(assigned.value, str):
        return
    if state.namerefs[name] == "" and split_reference(assigned.value) is None:
        raise BuiltinError(f"`{assigned.value}': invalid variable name for name reference")


def _follow(
    state: State, name: str, assigned: Assigned | None, indexed: bool, request: Request
) -> tuple[str, Assigned | None, bool]:
    """Return the variable that a reference stands for, its assignment, and whether it becomes an array."""
    target, element = state.resolve(name)
    if element is not None:
        if indexed or (assigned is not None and isinstance(assigned.value, list)):
            state.shell.error(state, f"`{state.namerefs[name]}': not a valid identifier")
            raise Discard(1)
        indexed = True  # the target becomes an array
        assigned = assigned._replace(subscript=element) if assigned else None
    if target == name and indexed:
        state.shell.warning(state, f"{name}: removing nameref attribute")
        del state.namerefs[name]
    elif target and target not in state.namerefs:
        name = target
        assigned = assigned._replace(name=name) if assigned else None
    return name, assigned, indexed


def _check_arrays(state: State, name: str, shown: str, assigned: Assigned | None, request: Request) -> None:
    bits = state.attributes.get(name, 0)
    value = state.values.get(name)
    if (request.remove & ARRAY and (bits & ARRAY or isinstance(value, IndexedArray))) or (
        request.remove & ASSOC and (bits & ASSOC or isinstance(value, AssociativeArray))
    ):
        raise BuiltinError(f"{name}: cannot destroy array variables in this way")
    message = ""
    if request.add & ARRAY and bits & ASSOC:
        message = f"{shown}: cannot convert associative to indexed array"
    if request.add & ASSOC and (bits & ARRAY or isinstance(value, IndexedArray)):
        message = f"{shown}: cannot convert indexed to associative array"
    if not message:
        return
    if assigned is not None and isinstance(assigned.value, list):
        if not request.local:  # the list is assigned before the built-in runs, and that ends the line
            state.shell.error(state, message)
            raise Discard(1)
        state.shell.error(state, message)
    raise BuiltinError(message)


def _make_array(state: State, name: str) -> None:
    """Convert the value of a scalar to element 0; a name without a value stays without one."""
    value = state.values.get(name)
    if isinstance(value, str):
        del state.values[name]
        if state.attributes[name] & ASSOC:
            new = AssociativeArray()
            new.set("0", value)
            state.values[name] = new
        else:
            state.values[name] = IndexedArray([value])


def _readonly(name: str, request: Request) -> BuiltinError:
    error = readonly_error(name)
    return BuiltinError(error.message, own=error if request.quiet_readonly else None)


# --------------------------------------------------------------------------- references


def _check_target(state: State, name: str, assigned: Assigned, indexed: bool, request: Request) -> None:
    value = assigned.value
    frame = function_frame(state) if request.local else None
    bits = state.attributes.get(name, 0) if frame is None or name in frame.saved else 0
    if indexed or isinstance(value, list) or bits & (ARRAY | ASSOC):
        raise BuiltinError(f"{reference_of(assigned)}: reference variable cannot be an array")
    if value == name and function_frame(state) is not None:  # it refers to the global variable
        for command in (f"{request.command}: ", ""):
            state.shell.error(state, f"{command}warning: {name}: circular name reference")
    elif value == name or value.partition("[")[0] == name:
        raise BuiltinError(f"{name}: nameref variable self references not allowed")
    if not value:
        if request.local:
            _localize(state, name, request, is_array=False)  # the local remains
        raise BuiltinError("`': not a valid identifier")
    if split_reference(value) is None:
        raise BuiltinError(f"`{value}': invalid variable name for name reference")


def _set_reference(state: State, name: str, assigned: Assigned | None, bits: int, request: Request) -> None:
    if not request.nameref:  # +n: the name of the target becomes the value
        if name in state.namerefs and not request.local:  # as in bash, of the last reference of a chain
            if assigned is not None:
                assign(state, assigned)
                assigned = None
            name = last_reference(state.namerefs, name)
        target = state.namerefs.pop(name, None)
        if target is not None and target:
            state.values[name] = target
        if name not in state.values:
            state.attributes.setdefault(name, 0)
        if assigned is not None:
            assign(state, assigned)
        return
    value = state.values.get(name)
    made = request.add if request.local else 0  # a local variable is an array before it becomes a reference
    if isinstance(value, (IndexedArray, AssociativeArray)) or (bits | made) & (ARRAY | ASSOC):
        if made & (ARRAY | ASSOC):
            state.attributes[name] = bits | made
        raise BuiltinError(f"{name}: reference variable cannot be an array")
    if assigned is not None:
        assert isinstance(assigned.value, str)
        old = state.namerefs.get(name, "") if assigned.append else ""
        target = old + assigned.value
    else:
        target = state.namerefs.get(name, value or "")
        is_empty = value == "" and name not in state.namerefs
        if is_empty or (target and split_reference(target) is None):
            raise BuiltinError(f"`{target}': invalid variable name for name reference")
    state.values.pop(name, None)
    state.namerefs[name] = held(target, state.budget)
    bits = (
        bits & ~(_CASE | INTEGER) | request.add | (EXPORT if state.options.allexport else 0)
    ) & ~request.remove
    if bits:
        state.attributes[name] = bits
    else:
        state.attributes.pop(name, None)


# --------------------------------------------------------------------------- scopes


def _localize(state: State, name: str, request: Request, *, is_array: bool) -> None:
    """Make ``name`` local to the current function; an exported name stays exported."""
    frame = function_frame(state)
    if frame is not None and hide_in_call(state, frame, name):
        if is_array:
            state.values[name] = _empty_array(state, name, request)
        return
    scope = temporary_scope(state, name)
    if scope is not None and frame is not None and all(each.sourced for each in state.frames[scope.depth :]):
        scope.declared.add(name)
        return
    if frame is not None and name in frame.saved:
        # An assignment before the call becomes the initial value of the local. As in bash, a scalar that becomes
        # an array loses its value, and that of an assignment before the call too.
        was_temporary = name in frame.temporary
        frame.temporary.discard(name)
        keeps = "localvar_inherit" in state.options.shopts
        if is_array and not keeps and (was_temporary or isinstance(state.values.get(name), str)):
            state.values[name] = _empty_array(state, name, request)
        return
    old = state.save(name)
    inherited = old.value if isinstance(old.value, str) and is_temporary(state, name) else None
    try:
        make_local(state, name)
    except ShellError as error:
        raise BuiltinError(error.message) from None
    if request.inherit or "localvar_inherit" in state.options.shopts:
        state.restore(name, old)
        value = state.values.get(name)
        if isinstance(value, (IndexedArray, AssociativeArray)):
            state.values[name] = value.copy(state.budget)
    else:
        state.attributes[name] = old.attributes & EXPORT
        if (
            inherited is not None
        ):  # as in bash, a local takes the value of a temporary assignment at any depth
            state.values[name] = _empty_array(state, name, request) if is_array else inherited


def _empty_array(state: State, name: str, request: Request) -> IndexedArray | AssociativeArray:
    kind = request.add & ASSOC or ARRAY
    state.attributes[name] = state.attributes.get(name, 0) | kind
    return AssociativeArray() if kind == ASSOC else IndexedArray()


def _saved_global(state: State, name: str) -> dict[str, Saved] | None:
    """Return the saved variables that have the global ``name``, or None when nothing hides it.

    Calls hide it, and assignments before eval, before a call, and before the declaration itself.
    """
    state.unshare_frames()
    scopes = state.temporary_scopes
    for depth, frame in enumerate(state.frames):
        for scope in scopes:
            if scope.depth == depth and name in scope.saved:
                return scope.saved
        if name in frame.saved:
            return frame.saved
    for scope in scopes:
        if scope.depth == len(state.frames) and name in scope.saved:
            return scope.saved
    pending = state.pending_temporaries
    return pending if pending is not None and name in pending else None


def _declare_global(
    state: State,
    saved: dict[str, Saved],
    name: str,
    assigned: Assigned | None,
    indexed: bool,
    request: Request,
) -> None:
    """Declare a hidden global: restore it, declare it, and hide it again."""
    current = state.save(name)
    state.restore(name, saved[name])
    try:
        _declare(state, name, assigned, indexed, request)
    finally:
        saved[name] = state.save(name)
        state.restore(name, current)
