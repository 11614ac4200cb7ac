"""Trees to bytes and back; bytes that are no tree are refused."""

from __future__ import annotations

import random
import subprocess
import sys

import pytest

from sandhook.syntax import nodes, parse, store
from sandhook.syntax.nodes import Node
from tests.syntax.corpus import SCRIPTS


@pytest.mark.parametrize("script", [*SCRIPTS, "", "echo é '\udcff' \U0001f600\n"])
def test_comes_back_as_it_was(script: str) -> None:
    units = parse(script)
    assert store.decode(store.encode(units)) == units


def test_knows_every_node() -> None:
    kinds = {
        kind
        for kind in vars(nodes).values()
        if isinstance(kind, type) and issubclass(kind, Node) and kind is not Node
    }
    assert set(store._CLASSES) == kinds


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"sandhook-tree 0 0.0 0\n",
        store._HEADER,
        store._HEADER + b"\n\n",
        store._HEADER + b"\n0\n",
        store._HEADER + b"\n999\n",
        store._HEADER + b"\n5\n",
        store._HEADER + b"\n5,99\n",
        store._HEADER + b"\n16\n",
        store._HEADER + b"\n1024\n",
        store._HEADER + b"3\n1024\nab",
        store._HEADER + b"\n3,3\n",
        b"\x80\x04\x95",
    ],
)
def test_refuses_other_data(data: bytes) -> None:
    with pytest.raises(ValueError, match="tree"):
        store.decode(data)


def test_damaged_data_gives_a_tree_or_an_error() -> None:
    random_ = random.Random(1)
    data = store.encode(parse("".join(SCRIPTS[:10])))
    for _ in range(300):
        damaged = bytearray(data)
        for _ in range(random_.randint(1, 5)):
            damaged[random_.randrange(len(damaged))] = random_.randrange(256)
        try:
            store.decode(bytes(damaged))
        except ValueError:
            continue


def test_reading_imports_no_parser() -> None:
    data = store.encode(parse("echo $(a) | b\n"))
    program = (
        "import sys; from sandhook.syntax import store;"
        f"units = store.decode({data!r});"
        "print(len(units), [name for name in sys.modules if 'bashlex' in name or name.endswith(('.lexer', '.grammar', '.tables'))])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "1 []\n"
