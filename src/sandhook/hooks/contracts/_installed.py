"""Contracts of installed packages: entry points of the group ``sandhook.contracts``; and agents that have none."""

from __future__ import annotations

from collections.abc import Callable, Sequence

#: The group of the entry points.
GROUP = "sandhook.contracts"

#: What every contract has, so that an object which is not one is found when it is loaded.
_PARTS = ("name", "fold", "events", "refusable", "own_limits", "layers", "parse", "load", "request", "decode")


CONTINUE = "Continue's cn reads hooks and starts none of them (1.5.47)"
_AUGGIE = "no run of Auggie could be recorded"

#: Why an agent that has hooks has no contract, by the names under which people look for it, without signs.
_WHY = {
    "continue": CONTINUE,
    "continuecli": CONTINUE,
    "continuedev": CONTINUE,
    "cn": CONTINUE,
    "auggie": _AUGGIE,
    "augment": _AUGGIE,
}


def contract_of(name: str, known: Sequence[str]) -> object:
    """Return the contract that a package offers.

    Args:
        known: The names of other contracts, for hints.

    Raises ValueError for an unknown name, and for what is not a contract.
    """
    from importlib.metadata import entry_points  # takes as long as all contracts together

    points = entry_points(group=GROUP)
    found = {point.value: point for point in points if point.name == name}
    if not found:
        from sandhook.text.nearest import hint

        if (why := _WHY.get("".join(filter(str.isalnum, name.casefold())))) is not None:
            raise ValueError(f"sandhook has no contract {name!r}: {why}")
        raise ValueError(
            f"unknown contract {name!r}; {hint(name, [*known, *(point.name for point in points)])}"
        )
    if len(found) > 1:
        values = ", ".join(sorted(found))
        raise ValueError(f"contract {name!r} is offered by more than one installed package: {values}")
    ((value, point),) = found.items()
    return _loaded(name, value, point.load)


def _loaded(name: str, value: str, load: Callable[[], object]) -> object:
    try:
        outside = load()
    except Exception as error:  # the package's code, which may raise anything
        why = f"{type(error).__name__}: {error}"
        raise ValueError(
            f"contract {name!r} of an installed package cannot be loaded from {value}: {why}"
        ) from None
    lacking = [each for each in _PARTS if not hasattr(outside, each)]
    if isinstance(outside, type) or lacking:
        what = f"the class {outside.__name__}" if isinstance(outside, type) else type(outside).__name__
        lacks = f", which lacks {', '.join(lacking)}" if lacking else ""
        raise ValueError(
            f"contract {name!r} of an installed package: {value} must be a Contract, not {what}{lacks}"
        )
    return outside
