"""The vocabulary of bashlex's tokenizer, imported without building bashlex's parsing table.

Running ``bashlex/__init__`` computes an LALR table (about 75 ms in every process) that is not
used here: ``tables.py`` holds ours. The package object is therefore registered without running
it. Other users of bashlex in the same process still get the whole package: the first access to
a missing attribute runs the real ``__init__``.
"""

from __future__ import annotations

import sys
from importlib.machinery import PathFinder
from types import ModuleType

from sandhook.typed import Any

#: Attributes that ``bashlex/__init__`` defines, without the modules that its tokenizer imports.
_PUBLIC = frozenset(["parse", "parsesingle", "parser", "split", "subst", "yacc"])


def _register_package() -> ModuleType | None:
    """Put bashlex into sys.modules without running it; return None if it is there already or not on a path."""
    if "bashlex" in sys.modules:
        return None
    spec = PathFinder.find_spec("bashlex")
    if spec is None or spec.loader is None:  # another finder may have it: import it in full
        return None
    module = ModuleType("bashlex")
    module.__spec__, module.__loader__, module.__file__ = spec, spec.loader, spec.origin
    module.__package__ = "bashlex"
    module.__path__ = spec.submodule_search_locations or []
    sys.modules["bashlex"] = module
    return module


def _run_on_first_use(module: ModuleType) -> None:
    def attribute(name: str) -> Any:
        importing = name in ("subst", "yacc") and "bashlex.parser" in sys.modules
        if name not in _PUBLIC or importing:  # a submodule that is being imported, or no attribute
            raise AttributeError(f"module 'bashlex' has no attribute {name!r}")
        del module.__dict__["__getattr__"]
        assert module.__spec__ is not None and module.__spec__.loader is not None
        module.__spec__.loader.exec_module(module)
        return getattr(module, name)

    module.__dict__["__getattr__"] = attribute


_package = _register_package()
try:
    from bashlex.tokenizer import tokentype, valid_reserved_first_command
except BaseException:
    if _package is not None:
        sys.modules.pop("bashlex", None)
    raise
if _package is not None:
    _run_on_first_use(_package)

#: Spelling of every operator to its token's name in the grammar: {"&&": "AND_AND", ...}.
OPERATORS: dict[str, str] = {
    kind.value: kind.name for kind in tokentype if isinstance(kind.value, str) and kind.value[0] in "&|;<>()"
}

#: Reserved word to its token's name in the grammar: {"if": "IF", ...}.
RESERVED_WORDS: dict[str, str] = {word: kind.name for word, kind in valid_reserved_first_command.items()}
