"""Record: an immutable tuple with named fields, for facts that parts pass to each other.

It does what ``typing.NamedTuple`` does, without generating code: a NamedTuple costs 0.3 ms of
import and a frozen dataclass 0.5 ms (and ``inspect``, 10 ms), a Record 0.01 ms. The command
line has some sixty of them, and 100 ms in all. Two records are equal if their values are equal and one
class declared their fields.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from operator import itemgetter

from sandhook.typed import Any, Self, dataclass_transform

try:  # what namedtuple uses: half the time of a property, to make and to read
    from _collections import _tuplegetter as _field  # type: ignore[import-not-found]
except ImportError:  # a Python without it

    def _field(index: int, doc: None) -> property:
        return property(itemgetter(index))


#: Makes a record of all its values: what ``Record.__new__`` calls, for code that makes a tree of thousands.
new_record = tuple.__new__


@dataclass_transform(frozen_default=True, eq_default=True)
class Record(tuple[Any, ...]):
    """Base: a subclass declares its fields by annotation and their defaults by assignment."""

    __slots__ = ()
    _fields: tuple[str, ...] = ()
    _defaults: Mapping[str, object] = {}
    #: The values of the defaults.
    _tail: tuple[object, ...] = ()
    #: Returns the values of a dictionary of all fields, in their order.
    _in_order: Callable[[Mapping[str, object]], tuple[object, ...]]

    def __init_subclass__(cls, *, init: bool = True) -> None:
        """Declare the fields; ``init=False`` is for type checkers: ``__new__`` of the class has other arguments."""
        names = tuple(cls.__annotations__)
        if not names:  # a subclass that only adds methods
            return
        with_default = [name for name in names if name in cls.__dict__]
        cls._fields = names
        type.__setattr__(cls, "__match_args__", names)
        cls._defaults = {name: cls.__dict__[name] for name in with_default}
        cls._tail = tuple(cls._defaults.values())
        if names[len(names) - len(with_default) :] != tuple(with_default):
            raise TypeError(f"{cls.__name__}: a field without default follows one with")
        cls._in_order = itemgetter(*names) if len(names) > 1 else lambda values: (values[names[0]],)
        for index, name in enumerate(names):
            setattr(cls, name, _field(index, None))

    def __new__(cls, *args: object, **named: object) -> Self:
        if named:
            args = cls._complete(args, named)
        elif lacking := len(cls._fields) - len(args):
            tail = cls._tail
            args = args + tail[-lacking:] if 0 < lacking <= len(tail) else cls._complete(args, named)
        return tuple.__new__(cls, args)

    @classmethod
    def _complete(cls, args: tuple[object, ...], named: dict[str, object]) -> tuple[object, ...]:
        """Return all values in order, from positions, names and defaults."""
        names = cls._fields
        defaults = cls._defaults
        if named and not args:
            try:
                values = named if len(named) == len(names) else {**defaults, **named}
                if len(values) == len(names):
                    return cls._in_order(values)
            except KeyError:  # reported below
                pass
        result = list(args)
        for name in names[len(args) :]:
            if name in named:
                result.append(named.pop(name))
            elif name in defaults:
                result.append(defaults[name])
            else:
                raise TypeError(f"{cls.__name__}() lacks {name!r}")
        if named or len(result) > len(names):
            raise TypeError(f"{cls.__name__}() got unexpected arguments {sorted(named) or args!r}")
        return tuple(result)

    def _replace(self, **changes: object) -> Self:
        """Return a copy with some fields changed. Raises TypeError for a name it lacks."""
        made = tuple.__new__(self.__class__, map(changes.pop, self._fields, self))
        if changes:
            raise TypeError(f"{self.__class__.__name__} has no field {sorted(changes)}")
        return made

    def __eq__(self, other: object) -> bool:
        # a subclass that only adds methods shares the very tuple of names
        return isinstance(other, Record) and self._fields is other._fields and tuple.__eq__(self, other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash((self._fields, tuple(self)))

    def __bool__(self) -> bool:
        return True

    def __repr__(self) -> str:
        inside = ", ".join(f"{name}={value!r}" for name, value in zip(self._fields, self))
        return f"{self.__class__.__name__}({inside})"


def short_repr(record: Record, long: tuple[str, ...] = ()) -> str:
    """Return the representation of a record without the fields that have their defaults.

    Args:
        long: Fields that are shown as ``(...)`` if they are not empty.
    """
    shown = [
        f"{name}={'(...)' if name in long else repr(value)}"
        for name, value in zip(record._fields, record)
        if name not in record._defaults or record._defaults[name] != value
    ]
    return f"{record.__class__.__name__}({', '.join(shown)})"
