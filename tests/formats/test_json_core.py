"""``json_core`` is json: the same values, texts and errors."""

from __future__ import annotations

import json
import subprocess
import sys
from textwrap import dedent
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sandhook.formats import json_core
from sandhook.formats.json_core import JsonReader, compact_json

TEXT = st.text(max_size=6)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXT,
    lambda items: st.lists(items, max_size=3) | st.dictionaries(TEXT, items, max_size=3),
    max_leaves=6,
)
AT_LEISURE = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])

TEXTS = (
    "", " ", "{", "[1,]", '{"a":1,}', "1 2", "nul", "NaN", "[-Infinity, Infinity]", "\ufeff1", "\f1", "1\x0b", '"\\ud800"',
    '"a\nb"', " \t\n\r[1e400, -0, 1E2]\r\n", '{"a": 1, "a": 2}', "[" * 20, "01", "'a'", "//a\n1", '"\\x"', "1\xa0",
)  # fmt: skip


def attempt(call: Any, *args: Any, **named: Any) -> str:
    try:
        return repr(call(*args, **named))
    except ValueError as error:
        return f"{type(error).__name__}: {error}"


@pytest.fixture(params=("C", "json"))
def ways(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """With ``_json``, and in a Python that has none."""
    if request.param == "json":
        monkeypatch.setattr(json_core, "_in_c", None)


@pytest.mark.usefixtures("ways")
@pytest.mark.parametrize("text", TEXTS)
def test_a_text_has_the_value_or_the_error_of_json(text: str) -> None:
    assert attempt(JsonReader().read, text) == attempt(json.JSONDecoder().decode, text)
    hooks = {"object_pairs_hook": tuple, "parse_int": str, "parse_float": "f{}".format, "parse_constant": len}
    assert attempt(JsonReader(**hooks).read, text) == attempt(json.JSONDecoder(**hooks).decode, text)


@AT_LEISURE
@given(VALUES, st.booleans(), st.booleans())
def test_a_value_is_written_and_read_as_by_json(value: object, ensure_ascii: bool, allow_nan: bool) -> None:
    named = {"ensure_ascii": ensure_ascii, "allow_nan": allow_nan}
    written = attempt(compact_json, value, **named)
    assert written == attempt(json.dumps, value, separators=(",", ":"), **named)
    text = json.dumps(value, indent=1)
    assert repr(JsonReader().read(text)) == repr(json.loads(text))


@AT_LEISURE
@given(st.text('[]{}",: \t\n01e-.+\\un"tf\ufeff\xa0\f', max_size=12))
def test_any_text_is_read_as_by_json(text: str) -> None:
    assert attempt(JsonReader().read, text) == attempt(json.JSONDecoder().decode, text)


@pytest.mark.usefixtures("ways")
def test_what_is_no_json_is_not_written() -> None:
    loop: list[object] = []
    loop.append(loop)
    for value in ({1}, b"", [object()], {(1,): 1}):
        with pytest.raises(TypeError) as by_json:
            json.dumps(value)
        with pytest.raises(TypeError, match=r"JSON|keys") as ours:
            compact_json(value)
        assert str(ours.value) == str(by_json.value)
    with pytest.raises(ValueError, match="Circular"):
        compact_json(loop)


def test_neither_json_nor_re_is_loaded() -> None:
    program = """
        assert compact_json(JsonReader().read(' {"a": [1, null]} ')) == '{"a":[1,null]}'
        print(sorted({'json', 're'} & set(sys.modules)))
        """
    assert output_of(program) == "[]\n"


def test_the_first_error_of_a_process_is_one_of_json() -> None:
    """CPython 3.11 and 3.12 look for the class of the error in a module that nobody has loaded."""
    program = """
        for text in {texts!r}:
            for name in [name for name in sys.modules if name.split('.')[0] == 'json']:
                del sys.modules[name]
            try:
                print(repr(JsonReader().read(text)))
            except ValueError as error:
                print(f"{{type(error).__name__}}: {{error}}")
        """
    texts = ["{", '{"a"', '{"a":', "[1,", '"a', '"\\x"', *TEXTS]
    expected = "".join(f"{attempt(json.JSONDecoder().decode, text)}\n" for text in texts)
    assert output_of(program.format(texts=texts)) == expected


def output_of(program: str) -> str:
    """Return what a process prints that has loaded nothing else."""
    head = f"import sys; sys.path[:0] = {sys.path!r}\nfrom sandhook.formats.json_core import *\n"
    command = [sys.executable, "-S", "-c", head + dedent(program)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout
