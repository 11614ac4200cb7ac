"""yq changes documents in their text: what an expression does not touch keeps its comments and its layout."""

from __future__ import annotations

import difflib

import pytest

DOCUMENT = """\
# head

a: 1   # one
list:
  # in the list
  - x   # ex
  - "y"
  - {k: v, l: [1,2]}
empty:
quoted: "q" # q
single: 'q'
text: |
  one
  two

# before map
map:
  p: 1

  # about q
  q: 2 # q
none: {}
items:
- name: one # first
  v: 1
- name: two
  v: 2
# end
"""

#: An expression, and what changes: lines that go ("-") and lines that come ("+").
ROWS = [
    (".", []),
    (".a = 2", ["-a: 1   # one", "+a: 2   # one"]),
    (".a += 1", ["-a: 1   # one", "+a: 2   # one"]),
    (".empty = 5", ["-empty:", "+empty: 5"]),
    ('.empty = {"k": [1]}', ["+  k:", "+    - 1"]),
    ('.quoted = "n"', ['-quoted: "q" # q', '+quoted: "n" # q']),
    (""".single = "it's" """, ["-single: 'q'", "+single: 'it''s'"]),
    ('.text = "1\\n2\\n"', ["-  one", "-  two", "+  1", "+  2"]),
    ('.text = "t"', ["-text: |", "-  one", "-  two", "+text: t"]),
    ("del(.empty)", ["-empty:"]),
    (".map.q = 3", ["-  q: 2 # q", "+  q: 3 # q"]),
    ("del(.map.q)", ["-  # about q", "-  q: 2 # q"]),
    ('.map.r = "v"', ["+  r: v"]),
    (".map.p |= . + 1 | del(.a)", ["-a: 1   # one", "-  p: 1", "+  p: 2"]),
    ('.new = {"k": [1]}', ["+new:", "+  k:", "+    - 1"]),
    (".none.k = 1", ["-none: {}", "+none:", "+  k: 1"]),
    ('.list[0] = "z"', ["-  - x   # ex", "+  - z   # ex"]),
    ('.list += ["new"]', ["+  - new"]),
    ('.list = ["new"] + .list', ["+  - new"]),
    ("del(.list[0])", ["-  # in the list", "-  - x   # ex"]),
    (".list[2].k = [3]", ["-  - {k: v, l: [1,2]}", "+  - {k: [3], l: [1, 2]}"]),
    ("del(.items[0].name)", ["-- name: one # first", "-  v: 1", "+- v: 1"]),
    ("del(.items[1])", ["-- name: two", "-  v: 2"]),
    ('.items += [{"name": "three", "v": 3}]', ["+- name: three", "+  v: 3"]),
    ('(.items[] | select(.name == "two") | .v) = 9', ["-  v: 2", "+  v: 9"]),
    ("with(.map; .p = 3)", ["-  p: 1", "+  p: 3"]),
    ('select(.a == 1) | .quoted = "n"', ['-quoted: "q" # q', '+quoted: "n" # q']),
]


def _changes(before: str, after: str) -> list[str]:
    found = difflib.ndiff(before.splitlines(), after.splitlines())
    lines = [line[0] + line[2:] for line in found if line[0] in "+-"]
    return sorted(lines, key=lambda line: line[0] == "+")


@pytest.mark.parametrize(("expression", "changes"), ROWS)
def test_only_what_is_meant_changes(sandbox, expression, changes):
    status, out, err = sandbox.run("yq", "-i", expression, "f.yaml", files={"f.yaml": DOCUMENT})
    assert (status, out, err) == (0, b"", b"")
    after = sandbox.fs.read_bytes("/workspace/f.yaml").decode()
    assert _changes(DOCUMENT, after) == changes
    assert sandbox.run("yq", expression, "-", stdin=DOCUMENT.encode())[1].decode() == after


def test_several_documents_are_changed_where_they_stand(sandbox):
    text = "# 1\nn: 1\n---\n# 2\nn: 2 # two\n"
    assert sandbox.run("yq", ".n += 1", stdin=text.encode())[1] == b"# 1\nn: 2\n---\n# 2\nn: 3 # two\n"


@pytest.mark.parametrize(
    ("text", "expression", "printed"),
    [
        ("# c\na: &x {k: 1}\nb: *x\n", ".b.k = 2", "a:\n  k: 1\nb:\n  k: 2\n"),
        ("# c\nb: 1\na: 2\n", "sort_keys(.)", "a: 2\nb: 1\n"),
        ("# c\na: {b: 1}\n", ".a", "b: 1\n"),
        ("# c\n? [1]\n: 2\na: 1\n", ".a = 2", None),
        ("# c\na: 1\n", "[.a]", "- 1\n"),
    ],
)
def test_what_cannot_be_changed_so_is_written_anew(sandbox, text, expression, printed):
    status, out, _ = sandbox.run("yq", expression, stdin=text.encode())
    assert (status, out) == ((0, printed.encode()) if printed else (1, b""))


def test_pretty_printing_writes_it_anew(sandbox):
    assert sandbox.run("yq", "-P", ".", stdin=b"# c\na:   [1]\n")[1] == b"a:\n  - 1\n"
