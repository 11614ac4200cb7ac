"""The files that patch works on: choosing, writing, backing up, and saving rejects."""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING

from sandhook.command.context import Context, Failure
from sandhook.command.operands import find, reason, stat_of
from sandhook.record import Record
from sandhook.utilities.compare.patch.apply import Applier, Placement
from sandhook.utilities.compare.patch.parse import Hunk, Patch
from sandhook.utilities.compare.sides import split_lines

#: What patch reports about a last line without a newline, which it ignores.
CUT = "patch unexpectedly ends in middle of line"

if TYPE_CHECKING:
    from sandhook.utilities.compare.patch.options import Options


class Outcome(IntEnum):
    """The exit status of a run without errors."""

    GOOD = 0
    REJECTED = 1


class _PatchedFile(Record):
    """The result of patching one file."""

    name: str
    new_name: str | None  #: the name after a rename or copy, None otherwise
    old_data: bytes | None  #: None when there was no file
    new_data: bytes
    mismatch: bool  #: a hunk failed or applied elsewhere, or the patch was reversed
    failed: bool  #: a hunk failed


class Patcher:
    """Applies patches in order, with the same options."""

    def __init__(self, options: Options, target: str | None, ctx: Context) -> None:
        self._options = options
        self._target = target
        self._ctx = ctx
        self._output: list[bytes] = []
        self._backed_up: set[str] = set()
        self._reject_files: set[str] = set()

    def finish(self) -> None:
        """Write the output collected for -o."""
        if self._options.output == "-":
            self._ctx.write(b"".join(self._output))
        elif self._options.output is not None and self._output and not self._options.dry:
            self._write(self._options.output, b"".join(self._output), None, parents=False)

    def _say(self, text: str) -> None:
        """Print a message, on standard error if standard output is for the patched file."""
        if self._options.output == "-":
            self._ctx.write_error(f"{text}\n")
        else:
            self._ctx.write_line(text)

    def _print(self, text: str, *, always: bool = False) -> None:
        if always or not self._options.quiet:
            self._say(text)

    # ------------------------------------------------------------------ one patch

    def apply(self, patch: Patch) -> Outcome:
        """Apply a patch to its file."""
        options = self._options
        if options.reverse:
            patch.reverse()
        name = self._name(patch)
        if name is None:
            return self._skip_unknown(patch)
        exists = find(self._ctx, name) is not None
        data = self._read(name) if exists else b""
        self._check_output()
        verb = "checking" if options.dry else "patching"
        target = f"{options.output} (read from {name})" if options.output is not None else name
        new_name = patch.rename[1] if patch.rename[0] is not None and self._target is None else None
        if new_name is not None:
            new_name = self._strip(
                new_name if "/" in new_name or options.strip is None else f"b/{new_name}", git=True
            )
            target = f"{new_name} ({'copied' if patch.copy else 'renamed'} from {name})"
        lines = split_lines(data, self._ctx.charge)
        if self._skip_already_empty(patch, lines, name):
            return Outcome.REJECTED
        if patch.kind == "context":  # GNU's patch has read the first hunk before it chose the file
            self._say_cut(patch, 0)
            if patch.error is not None and not patch.hunks:
                raise patch.error
        self._print(f"{verb} file {target}")
        if patch.error is not None:
            self._say_cut(patch, patch.cut_at)
            raise patch.error
        self._say_cut(patch, 0)
        ignore = self._check_reversed(patch, lines, exists)
        if ignore:
            placements = [Placement(0, 0, 0, True) for _ in patch.hunks]
            result = lines
        else:
            placements, result = self._hunks(patch, lines)
        failed = [hunk for hunk, place in zip(patch.hunks, placements) if place.failed]
        mismatch = patch.was_reversed or any(
            place.failed or place.fuzz or place.offset for place in placements
        )
        if failed:
            self._reject(patch, name, failed, placements, ignore)
        if not (ignore and len(failed) == len(placements)):
            change = _PatchedFile(
                name, new_name, data if exists else None, b"".join(result), mismatch, bool(failed)
            )
            self._store(patch, change)
        return Outcome.REJECTED if failed else Outcome.GOOD

    def _hunks(self, patch: Patch, lines: list[bytes]) -> tuple[list[Placement], list[bytes]]:
        options = self._options
        applier = Applier(lines, options.fuzz, options.loose, self._ctx.charge)
        placements = []
        for number, hunk in enumerate(patch.hunks, 1):
            if number > 1:
                self._say_cut(patch, number - 1)
            placement = applier.apply(hunk)
            placements.append(placement)
            if placement.failed:
                self._print(f"Hunk #{number} FAILED at {placement.line}.", always=not options.quiet)
            elif placement.fuzz or placement.offset:
                text = f"Hunk #{number} succeeded at {placement.line}"
                if placement.fuzz:
                    text += f" with fuzz {placement.fuzz}"
                if placement.offset:
                    text += f" (offset {placement.offset} line{'s' if placement.offset != 1 else ''})"
                self._print(text + ".")
        if patch.hunks:
            self._say_cut(patch, len(patch.hunks))
            self._say_cut(patch, len(patch.hunks))  # once for a next hunk, once for a next patch
        return placements, applier.finish()

    def _say_cut(self, patch: Patch, index: int | None) -> None:
        """Report that the patch ended in the middle of a line, if it did so in the hunk with this index."""
        if index is not None and patch.cut_at == index:
            self._say(CUT)

    def _skip_already_empty(self, patch: Patch, lines: list[bytes], name: str) -> bool:
        """Return whether a patch would empty a file that is already empty; report that it is skipped."""
        first = patch.hunks[0] if patch.hunks else None
        if first is None or lines or first.new or first.new_start or patch.kind == "normal":
            return False
        options = self._options
        if options.force or options.batch or (patch.empty[1] and find(self._ctx, name) is None):
            return False
        reversal = ", when reversed," if options.reverse else ""
        question = f"The next patch{reversal} would empty out the file {name},\nwhich is already empty!"
        if options.forward:
            self._print(f"{question}  Skipping patch.", always=True)
        else:
            self._print(f"{question}  {'Ignore' if options.reverse else 'Assume'} -R? [n] ", always=True)
            self._print("Apply anyway? [n] ", always=True)
            self._print("Skipping patch.")
        count = len(patch.hunks)
        self._print(f"{count} out of {count} hunk{'s' if count != 1 else ''} ignored", always=True)
        return True

    def _check_reversed(self, patch: Patch, lines: list[bytes], exists: bool) -> bool:
        """Check whether the first hunk fits only in reverse; return whether to ignore the patch."""
        options = self._options
        if not patch.hunks or options.force:
            return False
        first = patch.hunks[0]
        probe = Applier(lines, options.fuzz, options.loose, self._ctx.charge)
        reversed_hunk = first.reverse()
        reversal = ", when reversed," if options.reverse else ""
        if not first.old and first.start == 0 and lines:
            if not (patch.empty[0] and probe.fits(reversed_hunk)):
                return False
            question = (
                f"The next patch{reversal} would create the file {self._name(patch)},\nwhich already exists!"
            )
        elif not first.old or not probe.fits_better(reversed_hunk, first):
            return False
        elif not exists and patch.empty[1]:
            question = (
                f"The next patch{reversal} would delete the file {self._name(patch)},\nwhich does not exist!"
            )
        else:
            question = (
                "Unreversed patch detected!"
                if options.reverse
                else "Reversed (or previously applied) patch detected!"
            )
        if options.forward:
            self._print(f"{question}  Skipping patch.", always=True)
            return True
        if options.batch:
            self._print(f"{question}  {'Ignoring' if options.reverse else 'Assuming'} -R.", always=True)
            patch.reverse()
            patch.was_reversed = True
            return False
        self._print(f"{question}  {'Ignore' if options.reverse else 'Assume'} -R? [n] ", always=True)
        self._print("Apply anyway? [n] ", always=True)
        self._print("Skipping patch.")
        return True

    # ------------------------------------------------------------------ which file

    def _name(self, patch: Patch) -> str | None:
        """Return the file to patch, None when no name is suitable."""
        if self._target is not None:
            return self._target
        names = [
            self._strip(name) if name is not None and self._is_safe(name) else None for name in patch.names
        ]
        candidates = [name for name in names if name]
        existing = [name for name in candidates if find(self._ctx, name) is not None]
        if patch.git and patch.rename[0] is not None and not existing:
            return self._strip(f"a/{patch.rename[0]}", git=True) if self._options.strip else patch.rename[0]
        if existing and not (patch.empty[0] and patch.git and not existing):
            return min(existing, key=lambda name: (name.count("/"), len(name.rpartition("/")[2]), len(name)))
        creates = patch.empty[0] or (patch.hunks and not patch.hunks[0].old)
        if creates and candidates:
            usable = [name for name in (names[1], names[0], names[2]) if name]
            return usable[0]
        if patch.empty[1] and candidates:
            return candidates[0]
        return None

    def _is_safe(self, name: str) -> bool:
        stripped = self._strip(name)
        return stripped is not None and stripped[:1] != "/" and ".." not in stripped.split("/")

    def _strip(self, name: str, *, git: bool = False) -> str | None:
        """Return a name without its first components."""
        count = self._options.strip
        if count is None:
            return name if git else name.rstrip("/").rpartition("/")[2] or None
        at = 0
        for _ in range(count):
            slash = name.find("/", at)
            if slash < 0:
                return None
            at = slash + 1
            while name[at : at + 1] == "/":
                at += 1
        return name[at:] or None

    def _skip_unknown(self, patch: Patch) -> Outcome:
        """Report that there is no file to patch."""
        if patch.empty[0] or (patch.hunks and not patch.hunks[0].old):
            for name in dict.fromkeys(self._strip(name) for name in patch.names if name is not None):
                if name:
                    self._say(f"Ignoring potentially dangerous file name {name}")
        self._say(f"can't find file to patch at input line {patch.line}")
        if self._options.strip is None:
            self._say("Perhaps you should have used the -p or --strip option?")
        elif any(patch.names):
            self._say("Perhaps you used the wrong -p or --strip option?")
        if patch.preamble:
            self._say("The text leading up to this was:\n--------------------------")
            for line in patch.preamble:
                self._say("|" + line.rstrip(b"\r\n").decode("utf-8", "surrogateescape"))
            self._say("--------------------------")
        if not (self._options.batch or self._options.force):
            self._say("File to patch: ")
            self._say("Skip this patch? [y] ")
            self._say("Skipping patch.")
        else:
            self._say("No file to patch.  Skipping patch.")
        count = len(patch.hunks)
        self._say(f"{count} out of {count} hunk{'s' if count != 1 else ''} ignored")
        return Outcome.REJECTED

    # ------------------------------------------------------------------ files

    def _read(self, name: str) -> bytes:
        try:
            with self._ctx.open(name) as reader:
                return reader.read_all()
        except IsADirectoryError:
            raise Failure(f"**** File {name} is not a regular file -- can't patch", 2) from None
        except OSError as error:
            raise Failure(f"**** Can't open file {name} : {reason(error)}", 2) from None

    def _write(self, name: str, data: bytes, mode: int | None, *, parents: bool = True) -> None:
        ctx = self._ctx
        parent = name.rpartition("/")[0]
        try:
            if parent and parents:
                self._make_parents(parent)
            info = find(ctx, name)
            if info is not None and info.links > 1:  # other names keep the old contents
                ctx.fs.unlink(ctx.path(name))
                mode = info.mode if mode is None else mode
            file = ctx.create(name)
            try:
                file.write(data)
            finally:
                file.release()
            if mode is not None:
                ctx.fs.chmod(ctx.path(name), mode & 0o7777)
        except OSError as error:
            raise Failure(f"**** Can't create file {name} : {reason(error)}", 2) from None

    def _check_output(self) -> None:
        """Raise Failure if the file of -o cannot be created: nothing is reported as patched then."""
        output = self._options.output
        parent = (output or "").rpartition("/")[0]
        if output is not None and parent and not self._options.dry:
            try:
                stat_of(self._ctx, parent)
            except OSError as error:
                raise Failure(f"**** Can't create file {output} : {reason(error)}", 2) from None

    def _make_parents(self, name: str) -> None:
        ctx = self._ctx
        ancestor = "/" if name[:1] == "/" else ""
        for part in name.split("/"):
            ancestor += part
            if part and not ctx.fs.exists(ctx.path(ancestor)):
                ctx.fs.mkdir(ctx.path(ancestor), 0o777 & ~ctx.process.umask)
            ancestor += "/"

    def _store(self, patch: Patch, change: _PatchedFile) -> None:
        """Write the patched file, or remove it for a deletion or -E."""
        options, ctx = self._options, self._ctx
        name, new_name, data = change.name, change.new_name, change.new_data
        exists = change.old_data is not None
        if options.output is not None:
            self._output.append(data)
            return
        if options.dry:
            return
        if not patch.hunks and patch.mode is None and new_name is None and not any(patch.empty):
            return
        if options.backup or (change.mismatch and options.on_mismatch):
            self._back_up(name, change.old_data)
        removes = not data and (patch.empty[1] or options.remove_empty) and not change.failed
        info = find(ctx, name)
        mode = patch.mode if patch.mode is not None else info.mode if info is not None else None
        if removes:
            if exists:
                ctx.fs.unlink(ctx.path(name))
                self._prune(name)
            return
        if patch.empty[1] and data and not change.failed:
            self._print(f"Not deleting file {name} as content differs from patch", always=True)
        self._write(new_name if new_name is not None else name, data, mode)
        if new_name is not None and new_name != name and not patch.copy and exists:
            ctx.fs.unlink(ctx.path(name))
            self._prune(name)

    def _prune(self, name: str) -> None:
        """Remove the directories that became empty by the removal of a file."""
        parent = name.rpartition("/")[0]
        while parent and parent != ".":
            try:
                self._ctx.fs.rmdir(self._ctx.path(parent))
            except OSError:
                return
            parent = parent.rpartition("/")[0]

    def _back_up(self, name: str, data: bytes | None) -> None:
        if name in self._backed_up:
            return
        self._backed_up.add(name)
        options = self._options
        suffix = options.suffix if options.suffix is not None else ".orig" if options.prefix is None else ""
        info = find(self._ctx, name)
        mode = info.mode if info is not None else None
        self._write((options.prefix or "") + name + suffix, data or b"", 0 if data is None else mode)

    # ------------------------------------------------------------------ rejects

    def _reject(
        self, patch: Patch, name: str, failed: list[Hunk], placements: list[Placement], ignored: bool
    ) -> None:
        options = self._options
        target = options.reject if options.reject is not None else f"{options.output or name}.rej"
        count = len(placements)
        word = "ignored" if ignored else "FAILED"
        text = f"{len(failed)} out of {count} hunk{'s' if count != 1 else ''} {word}"
        if options.dry or target == "-":
            self._print(text, always=True)
            return
        self._print(f"{text} -- saving rejects to file {target}", always=True)
        kind = options.reject_format or ("unified" if patch.kind == "unified" else "context")
        pieces = self._reject_heads(patch, kind, name)
        for hunk, place in zip(patch.hunks, placements):
            if place.failed:
                write = _format_unified if kind == "unified" else _context
                pieces += write(hunk, place.shift, bare=patch.kind == "normal")
        old = b""
        if target in self._reject_files:
            old = self._ctx.fs.read_bytes(self._ctx.path(target))
        self._reject_files.add(target)
        self._write(target, old + b"".join(pieces), None)

    def _reject_heads(self, patch: Patch, kind: str, name: str) -> list[bytes]:
        marks = (b"--- ", b"+++ ") if kind == "unified" else (b"*** ", b"--- ")
        heads = []
        for mark, head in zip(marks, patch.heads):
            body = head[4:] if head else b"/dev/null\n"
            title, tab, rest = body.partition(b"\t" if b"\t" in body else b"\n")
            stripped = self._strip(title.decode("utf-8", "surrogateescape"))
            if stripped is not None and title != b"/dev/null":
                body = stripped.encode("utf-8", "surrogateescape") + tab + rest
            heads.append(mark + body)
        return heads


def _span(start: int, count: int, *, unified: bool) -> bytes:
    if unified:
        return b"%d" % start if count == 1 else b"%d,%d" % (start, count)
    return b"%d" % start if count < 2 else b"%d,%d" % (start, start + count - 1)


def _format_unified(hunk: Hunk, shift: int, *, bare: bool) -> list[bytes]:
    spans = (
        _span(hunk.start + shift, len(hunk.old), unified=True),
        _span(hunk.new_start + shift, len(hunk.new), unified=True),
    )
    head = b"@@ -%s +%s @@%s\n" % (*spans, hunk.function)
    return [head, *(mark + text for mark, text in hunk.lines)]


def _context(hunk: Hunk, shift: int, *, bare: bool) -> list[bytes]:
    """Return a hunk in context format; ``bare`` selects the older form, used for normal differences."""
    halves: tuple[list[bytes], list[bytes]] = ([], [])
    block: tuple[list[bytes], list[bytes]] = ([], [])

    def end_block() -> None:
        changed = bool(block[0] and block[1]) and not bare
        for half, lines, mark in zip(halves, block, (b"- ", b"+ ")):
            half.extend((b"! " if changed else mark) + line for line in lines)
            lines.clear()

    for mark, text in hunk.lines:
        if mark == b" ":
            end_block()
            for half in halves:
                half.append(b"  " + text)
        else:
            block[mark == b"+"].append(text)
    end_block()
    old = _span(hunk.start + shift, len(hunk.old), unified=False)
    new = _span(hunk.new_start + shift, len(hunk.new), unified=False)
    return [
        b"***************" + hunk.function + b"\n",
        b"*** %s%s\n" % (old if hunk.old or not bare else b"0", b"" if bare else b" ****"),
        *halves[0],
        b"--- %s %s\n" % (new if hunk.new or not bare else b"0", b"-----" if bare else b"----"),
        *halves[1],
    ]
