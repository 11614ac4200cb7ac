"""The names of ``typing`` that modules need at their import, without importing it.

``typing`` takes 3 ms of the 35 that a hook may take as a process. Annotations are not evaluated, so what is left is
aliases, base classes and type variables, and none of these does anything in a run. Type checkers see ``typing``.
``typing.get_args`` returns the values of a ``Literal`` from here, too.
"""

from __future__ import annotations

TYPE_CHECKING = False

__all__ = [
    "TYPE_CHECKING", "Any", "AnyStr", "Final", "Generic", "Literal", "NewType", "NoReturn", "ParamSpec", "Protocol",
    "Self", "TextIO", "TypeAlias", "TypeVar", "Unpack", "cast", "dataclass_transform", "overload",
]  # fmt: skip

if TYPE_CHECKING:
    from typing import (
        Any,
        AnyStr,
        Final,
        Generic,
        Literal,
        NewType,
        NoReturn,
        ParamSpec,
        Protocol,
        Self,
        TextIO,
        TypeAlias,
        TypeVar,
        Unpack,
        cast,
        dataclass_transform,
        overload,
    )
else:
    from types import GenericAlias

    class _Base:
        """The base of a class with type variables."""

        __slots__ = ()

        def __class_getitem__(cls, arguments):
            return cls

    class _Form:
        """Any form of a type: its subscripts, its unions and what it returns are the form again."""

        def __call__(self, *arguments, **keywords):
            return self

        def __getitem__(self, arguments):
            return self

        def __or__(self, other):
            return self

        __ror__ = __or__

        def __mro_entries__(self, bases):
            return (_Base,)

    class Literal:
        """Its subscripts have the values, which ``typing.get_args`` returns."""

        def __class_getitem__(cls, values):
            return GenericAlias(cls, values)

    Any = AnyStr = Final = Generic = NoReturn = ParamSpec = Protocol = _Form()
    Self = TextIO = TypeAlias = TypeVar = Unpack = Any

    def NewType(new, base):
        return base

    def cast(form, value):
        return value

    def overload(function):
        return function

    def dataclass_transform(**facts):
        return lambda decorated: decorated
