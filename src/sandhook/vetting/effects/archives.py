"""Archives: what is packed into them, and where they are unpacked."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sandhook.vetting.call import Call
from sandhook.vetting.values import EMPTY, HOLE, NOTHING, Origin, Value, known

Effect = Callable[[Call], "Value | None"]


def _archive(call: Call) -> Value:
    """tar and zip: what they pack has the origins of the files."""
    texts = call.texts
    if "--remove-files" in texts or (call.name == "zip" and call.has("-m")) or "-sdel" in texts:
        call.find("V-DELETE")
    first = texts[0] if texts else ""
    letters = first.lstrip("-") if not first.startswith("--") else ""
    if call.name == "tar" and ("x" in letters or call.has("--extract")):
        target = call.argument("-C", "--directory")
        if target is not None:
            call.writes(target, call.stdin)
            call.state.written[call.state.path(target.any_text)] = call.stdin
            if call.state.path(target.any_text) in ("~", "/"):
                call.find("V-STARTUP", f"unpacks an archive over {target.any_text}")
        origins = call.stdin.origins
        return Value((HOLE,), origins)
    if call.name in ("zip", "7z", "rar"):
        operands = [word for word in call.operands if word.any_text not in ("a", "u")]
        archive, operands = (operands[0], operands[1:]) if operands else (None, [])
        outer = call.state.directory
    else:
        archive, operands, outer = _packed(call)
    origins = call.reads(operands)
    if any(call.state.path(word.any_text) in (".", "~", "/", "./*") for word in operands):
        origins |= {Origin("file", "tree")}
    call.state.directory = outer
    content = Value((HOLE,), origins)
    if archive is not None and archive.any_text != "-":
        call.writes(archive, content)
        return EMPTY
    return content


def _packed(call: Call) -> tuple[Value | None, list[Value], Value]:
    """Return the archive of tar, what is packed, and the directory before ``-C``, which is entered."""
    outer = call.state.directory
    archive: Value | None = None
    operands: list[Value] = []
    words = iter(call.words)
    for index, word in enumerate(words):
        text = word.any_text
        name, equals, value = text.partition("=")
        if text[:1] != "-" and index:
            operands.append(word)
        elif equals and name == "--file":
            archive = Value((value,), word.origins)
        elif text in ("-C", "--directory") or (equals and name == "--directory"):
            target = Value((value,), word.origins) if equals else next(words, EMPTY)
            call.state.directory = Value((call.state.path(target.any_text),), target.origins)
        elif text in ("--exclude", "-X", "-T", "--transform", "--files-from"):
            listed = next(words, EMPTY)
            operands += (
                [Value((HOLE,), listed.origins | call.stdin.origins)]
                if text in ("-T", "--files-from")
                else []
            )
        elif text[:2] != "--" and text.endswith("f"):
            archive = next(words, None)
    return archive, operands, outer


def _unpack_archive(call: Call) -> Value:
    """unzip: what is in the archive is now in a directory."""
    target = call.argument("-d") or known(".")
    archive = next(iter(call.operands), known(""))
    call.writes(target, Value((HOLE,), call.access(archive, "read")))
    return Value((HOLE,), call.access(archive, "read") if call.has("-p") else NOTHING)


EFFECTS: Mapping[str, Effect] = {
    **dict.fromkeys(("tar", "zip", "7z", "bsdtar", "rar"), _archive),
    **dict.fromkeys(("unzip", "unar", "bsdcpio"), _unpack_archive),
}
