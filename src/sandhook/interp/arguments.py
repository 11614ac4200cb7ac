"""Checks of what callers pass to a shell: a wrong type raises at once, with the name of the argument."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from sandhook.limits import Cancellation, Limits
from sandhook.typed import TYPE_CHECKING

if TYPE_CHECKING:
    from sandhook.interp.beginning import Script, Streams


def check_shell(
    *, files: object, env: object, cwd: object, limits: object, utilities: object, fs: object, network: object
) -> None:
    """Raise TypeError for wrong arguments of ``Shell``."""
    _check_text("cwd", cwd)
    _check_limits(limits)
    if env is not None:
        _check_environment(env)
    if files is not None:
        _check_files(files)
    if utilities is not None and (isinstance(utilities, (str, bytes)) or not isinstance(utilities, Iterable)):
        raise TypeError(f"utilities must be functions of @utility, or a mapping, not {_shown(utilities)}")
    if fs is not None and not (hasattr(fs, "read_bytes") and hasattr(fs, "exists")):
        raise TypeError(f"fs must be a file system, such as MemoryFileSystem(), not {_shown(fs)}")
    if network is not None and not hasattr(network, "max_bytes"):
        raise TypeError(f"network must be a Network, not {_shown(network)}")


def check_run(script: Script, streams: Streams, limits: object, temporary_files: object) -> None:
    """Raise TypeError for wrong arguments of ``Shell.run``, and ValueError for an unknown ``overflow``."""
    if not (isinstance(script.text, str) and isinstance(script.name, str)):
        _check_text("script", script.text)
        _check_text("name", script.name)
    if script.from_file is not False and script.from_file is not True:
        raise TypeError(f"from_file must be True or False, not {_shown(script.from_file)}")
    if script.args != ():  # the check of an abstract class takes a hundredth of a short run
        _check_arguments(script.args)
    if script.env is not None:
        _check_environment(script.env)
    if limits is not None:
        _check_limits(limits)
    stdin: object = streams.stdin
    if not isinstance(stdin, (bytes, str)) and not callable(stdin):
        raise TypeError(f"stdin must be bytes, a text or a callable, not {_shown(stdin)}")
    if streams.stdout is not None:
        _check_writer("stdout", streams.stdout)
    if streams.stderr is not None:
        _check_writer("stderr", streams.stderr)
    if streams.overflow not in ("fail", "drop"):
        raise ValueError(f"overflow must be 'fail' or 'drop', not {streams.overflow!r}")
    cancel: object = streams.cancel
    if cancel is not None and not isinstance(cancel, Cancellation):
        raise TypeError(f"cancel must be a Cancellation, not {_shown(cancel)}")
    steps: object = streams.steps
    if steps is not None and not hasattr(steps, "observe"):
        raise TypeError(f"steps must be a Steps(), not {_shown(steps)}")
    if temporary_files:
        _check_pairs(temporary_files)


def _check_text(name: str, value: object) -> None:
    if not isinstance(value, str):
        raise TypeError(f"{name} must be a text, not {_shown(value)}")


def _check_writer(name: str, value: object) -> None:
    if not callable(value):
        raise TypeError(f"{name} must be a callable that receives bytes, not {_shown(value)}")


def _check_limits(value: object) -> None:
    if value is not None and not isinstance(value, Limits):
        raise TypeError(f"limits must be a Limits(...), not {_shown(value)}")


def _check_arguments(value: object) -> None:
    if isinstance(value, (str, bytes)) or not isinstance(value, Sequence):
        raise TypeError(f"args must be a sequence of texts, not {_shown(value)}")
    for index, each in enumerate(value):
        _check_text(f"args[{index}]", each)


#: What is a mapping; a dict is known without the check of the abstract class, a hundredth of a short run.
_MAPPINGS = (dict, Mapping)


def _check_environment(value: object) -> None:
    if not isinstance(value, _MAPPINGS):
        raise TypeError(f"env must map names to texts, not {_shown(value)}")
    for name, text in value.items():
        if not isinstance(name, str):
            raise TypeError(f"env: a name must be a text, not {_shown(name)}")
        if not isinstance(text, str):
            raise TypeError(f"env[{name!r}] must be a text, not {_shown(text)}")


def _check_files(value: object) -> None:
    if not isinstance(value, _MAPPINGS):
        raise TypeError(f"files must map paths to contents, not {_shown(value)}")
    for name, content in value.items():
        if not isinstance(name, str):
            raise TypeError(f"files: a path must be a text, not {_shown(name)}")
        if not isinstance(content, (str, bytes, bytearray, memoryview)):
            raise TypeError(f"files[{name!r}] must be a text or bytes, not {_shown(content)}")


def _check_pairs(value: object) -> None:
    if isinstance(value, (str, bytes, Mapping)) or not isinstance(value, Sequence):
        raise TypeError(
            f"temporary_files must be a sequence of pairs of a path and bytes, not {_shown(value)}"
        )
    for index, pair in enumerate(value):
        if not (
            isinstance(pair, (tuple, list))
            and len(pair) == 2
            and isinstance(pair[0], str)
            and isinstance(pair[1], (bytes, bytearray, memoryview))
        ):
            raise TypeError(f"temporary_files[{index}] must be a path and bytes, not {_shown(pair)}")


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
