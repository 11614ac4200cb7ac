"""Converts XML to plain values, and back: elements are keys, names of attributes have a prefix.

Document types are not parsed, so entities cannot be defined; namespaces are parts of names.
"""

from __future__ import annotations

import re
from typing import Any

from sandhook.formats import FormatError, Number
from sandhook.formats.json_text import write_json
from sandhook.limits import check_clock

ATTRIBUTE, CONTENT = "+@", "+content"

_MAX_TEXT = 512 << 10
_MAX_DEPTH = 200

#: ``[A-Za-z_:]`` and then ``[\w:.-]``, or other characters than ASCII. A range up to U+10FFFF takes 5 ms to compile.
_NAME = r"[^\x00-9;-@\[-^`{-\x7f][^\x00-,/;-@\[-^`{-\x7f]*"
_TAG = re.compile(rf"<(/?)({_NAME})")
_SPACE = re.compile(r"\s*")
_ATTRIBUTE = re.compile(rf"({_NAME})\s*=\s*(?:\"([^<\"]*)\"|'([^<']*)')")
_REFERENCE = re.compile(r"&(?:#([0-9]{1,7})|#x([0-9A-Fa-f]{1,6})|(lt|gt|amp|quot|apos));|&")
_NAMED = {"lt": "<", "gt": ">", "amp": "&", "quot": '"', "apos": "'"}
_GOOD_NAME = re.compile(rf"{_NAME}\Z")


def read_xml(text: str) -> dict[str, Any]:
    """Parse an XML text: an element is its text, or a mapping of its attributes, elements and text.

    Raises:
        FormatError: The text is not well-formed, has a document type with entities, or exceeds the bounds.
    """
    if len(text) > _MAX_TEXT:
        raise FormatError(f"longer than {_MAX_TEXT} characters")
    return _Parser(text).run()


class _Parser:
    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._stack: list[tuple[str, dict[str, Any], list[str]]] = [("", {}, [])]

    def run(self) -> dict[str, Any]:
        text = self._text
        while self._at < len(text):
            if text[self._at] != "<":
                end = text.find("<", self._at)
                end = len(text) if end < 0 else end
                self._words(self._plain(text[self._at : end]))
                self._at = end
            elif text.startswith("<!--", self._at):
                self._skip("-->")
            elif text.startswith("<![CDATA[", self._at):
                start = self._at + 9
                self._skip("]]>")
                self._words(text[start : self._at - 3])
            elif text.startswith("<?", self._at):
                self._skip("?>")
            elif text.startswith("<!", self._at):
                start = self._at
                self._skip(">")
                if "[" in text[start : self._at]:
                    raise self._error("a document type with definitions is not supported")
            else:
                self._tag()
        if len(self._stack) > 1:
            raise self._error(f"<{self._stack[-1][0]}> is not closed")
        if not self._stack[0][1]:
            raise self._error("there is no element")
        return self._stack[0][1]

    def _error(self, what: str) -> FormatError:
        return FormatError(f"{what} (at line {self._text.count(chr(10), 0, self._at) + 1})")

    def _skip(self, end: str) -> None:
        at = self._text.find(end, self._at + 2)
        if at < 0:
            raise self._error(f"{end} is missing")
        self._at = at + len(end)

    def _words(self, words: str) -> None:
        if len(self._stack) == 1 and words.strip():
            raise self._error("text outside of an element")
        self._stack[-1][2].append(words)

    def _plain(self, text: str) -> str:
        if "&" not in text:
            return text

        def resolve(match: re.Match[str]) -> str:
            if match[3]:
                return _NAMED[match[3]]
            if not (match[1] or match[2]):
                raise self._error("& does not begin a reference")
            code = int(match[1] or match[2], 10 if match[1] else 16)
            if code > 0x10FFFF or 0xD800 <= code < 0xE000 or code == 0:
                raise self._error("a reference to no character")
            return chr(code)

        return _REFERENCE.sub(resolve, text)

    def _tag(self) -> None:
        tag = _TAG.match(self._text, self._at)
        if tag is None:
            raise self._error("< begins no tag")
        self._at = tag.end()
        attributes: dict[str, object] = {}
        while True:
            gap = _SPACE.match(self._text, self._at)
            offset = gap.end() if gap is not None else self._at
            if self._text.startswith(("/>", ">"), offset):
                break
            attribute = _ATTRIBUTE.match(self._text, offset)
            if attribute is None or offset == self._at or tag[1]:
                raise self._error(f"the tag {tag[2]} is malformed")
            value = attribute[2] if attribute[2] is not None else attribute[3]
            attributes[ATTRIBUTE + attribute[1]] = self._plain(value)
            self._at = attribute.end()
        empty = self._text[offset] == "/"
        self._at = offset + 1 + empty
        if tag[1]:
            if empty or len(self._stack) == 1 or self._stack[-1][0] != tag[2]:
                raise self._error(f"</{tag[2]}> closes nothing")
            self._close()
            return
        if len(self._stack) > _MAX_DEPTH:
            raise self._error("the elements nest too deeply")
        self._stack.append((tag[2], attributes, []))
        if empty:
            self._close()

    def _close(self) -> None:
        name, element, words = self._stack.pop()
        text = "".join(words).strip()
        if element and text:
            element[CONTENT] = text
        value = element or text or None
        parent = self._stack[-1][1]
        if name not in parent:
            parent[name] = value
        elif isinstance(parent[name], list):
            parent[name].append(value)
        else:
            parent[name] = [parent[name], value]


def write_xml(value: object, *, indent: int = 2) -> str:
    """Return a mapping as XML. Raises FormatError for a value that has no such text."""
    if not isinstance(value, dict):
        raise FormatError("XML is a mapping of elements")
    out: list[str] = []
    for name, item in value.items():
        _element(name, item, "", " " * indent, out)
    return "".join(out)


def _element(name: str, value: object, margin: str, unit: str, out: list[str]) -> None:
    if isinstance(value, list):
        for item in value:
            _element(name, item, margin, unit, out)
        return
    if not _GOOD_NAME.match(name):
        raise FormatError(f"{name!r} is not a valid element name")
    check_clock()
    items = value if isinstance(value, dict) else {CONTENT: value}
    head = name
    inner: list[str] = []
    content = ""
    for key, item in items.items():
        if key == CONTENT:
            content = _escaped(_text(item))
        elif key.startswith(ATTRIBUTE) and _GOOD_NAME.match(key[2:]):
            head += f' {key[2:]}="{_escaped(_text(item)).replace(chr(34), "&quot;")}"'
        else:
            _element(key, item, margin + unit, unit, inner)
    if inner:
        out += [f"{margin}<{head}>{content}\n", *inner, f"{margin}</{name}>\n"]
    else:
        out.append(f"{margin}<{head}>{content}</{name}>\n")


def _text(value: object) -> str:
    if value is None:
        return ""
    return str(value) if isinstance(value, str | Number) else write_json(value)


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
