"""Changes single settings in the text of a file, and keeps all else: git config KEY VALUE, --add, --unset and others.

Source: git 2.39, git_config_set_multivar_in_file_gently in config.c.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sandhook.utilities.git.store.config import Event

Accepts = Callable[[str | None], bool]


class ManyValues(Exception):
    """A key has several values, and only one of them may be changed."""


class ConfigText:
    """The text of a file of settings, and its parts.

    Args:
        text: The text, without a byte order mark.
    """

    def __init__(self, text: str, events: Sequence[Event]) -> None:
        self._text = text
        self._events = events

    def changed(
        self, key: str, normal: str, value: str | None, accepts: Accepts | None, *, every: bool
    ) -> str | None:
        """Return the text with another value, or without the setting; None if no setting is to be removed.

        Args:
            key: The key as the caller wrote it. normal: The key in lower case, as ``normalize_key`` has it.
            value: None to remove the setting.
            accepts: Which of the present values are changed; None to add one.
            every: More than one value may be changed.

        Raises:
            ManyValues: Several values would be changed, and ``every`` is False.
        """
        prefix = normal[: normal.rindex(".") + 1]
        seen = [
            at
            for at, event in enumerate(self._events)
            if accepts is not None and event.kind == "entry" and event.key == normal and accepts(event.value)
        ]
        if len(seen) > 1 and not every:
            raise ManyValues
        if not seen and value is None:
            return None
        return self._replaced(seen, prefix, key, value) if seen else self._added(key, prefix, value or "")

    def _added(self, key: str, prefix: str, value: str) -> str:
        text, last, has_section = self._text, -1, False
        inside = False
        for at, event in enumerate(self._events):
            if event.kind == "section":
                inside = event.key == prefix
            if inside and event.kind in ("section", "entry"):
                last, has_section = at, True
        if not has_section:
            end = len(text)
        else:
            end = self._events[last].end
            if 0 < end < len(text) and text[end - 1] != "\n" and text[end] == "\n":
                end += 1
        head = text[:end]
        if head and not head.endswith("\n"):
            head += "\n"
        section = "" if has_section else _header(key)
        return head + section + _pair(key, value) + text[end:]

    def _replaced(self, seen: list[int], prefix: str, key: str, value: str | None) -> str:
        text, pieces, begin = self._text, [], 0
        index = 0
        while index < len(seen):
            event = self._events[seen[index]]
            start, end = event.start, event.end
            if value is None:
                start, end, index = self._whole_section(seen, index, prefix)
            while start > 0 and text[start - 1].isspace() and text[start - 1] != "\n":
                start -= 1
            if start > begin:
                pieces.append(text[begin:start])
                if text[start - 1] != "\n":
                    pieces.append("\n")
            begin = end
            index += 1
        if value is not None:
            pieces.append(_pair(key, value))
        return "".join(pieces) + text[begin:]

    def _whole_section(self, seen: list[int], index: int, prefix: str) -> tuple[int, int, int]:
        """Return what to remove with an entry: its section, too, if that is empty then and no comment is near."""
        events, first = self._events, seen[index]
        entry = (events[first].start, events[first].end, index)
        start, is_first = events[first].start, False
        for event in reversed(events[:first]):
            if event.kind == "comment" or (event.kind == "entry" and not is_first):
                return entry
            if event.kind == "entry":
                break
            if event.kind == "section":
                if event.key != prefix:
                    break
                is_first = True
            start = event.start
        last = index
        end = events[-1].end
        for at in range(first + 1, len(events)):
            event = events[at]
            if event.kind == "comment":
                return entry
            if event.kind == "section" and event.key != prefix:
                end = event.start
                break
            if event.kind == "entry":
                last += 1
                if last >= len(seen) or seen[last] != at:
                    return entry
        return start, end, last


def renamed_section(text: str, events: Sequence[Event], old: str, new: str | None) -> str | None:
    """Return the text with a section of another name, or without it; None if it has no such section."""
    pieces: list[str] = []
    found, removes, begin = False, False, 0
    for event in events:
        if event.kind != "section":
            continue
        if not removes:
            pieces.append(text[begin : event.start])
        begin, removes = event.start, False
        if event.key == f"{old}.":
            found = True
            if new is None:
                removes = True
            else:
                pieces.append(_header(f"{new}.x").removesuffix("\n"))
                begin = event.end
    if not removes:
        pieces.append(text[begin:])
    return "".join(pieces) if found else None


def _header(key: str) -> str:
    """Return the line of a new section."""
    section, _, rest = key.partition(".")
    subsection, dot, _ = rest.rpartition(".")
    if not dot:
        return f"[{section}]\n"
    quoted = subsection.replace("\\", "\\\\").replace('"', '\\"')
    return f'[{section} "{quoted}"]\n'


def _pair(key: str, value: str) -> str:
    """Return the line of a setting."""
    quote = '"' if value[:1] == " " or value[-1:] == " " or any(c in value for c in ";#") else ""
    text = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t")
    return f"\t{key.rpartition('.')[2]} = {quote}{text}{quote}\n"
