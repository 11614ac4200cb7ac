"""whereis: print the locations of programs.

Oracle: util-linux 2.38. Divergence: L-WHEREIS-001, there are no manual pages and no sources except in the directories
of -M and -S; a built-in utility is in /usr/bin; -g is an error.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.context import Context, Failure
from sandhook.command.options import Syntax, UsageError, opt, option_set
from sandhook.utilities.listing.which import SHELLS, is_program
from sandhook.vfs.path import VirtualPath

RAW = True  # directories follow -B, -M and -S, and options apply only to the names after them

_PLACES = ("/usr/bin", "/usr/sbin", "/usr/local/bin", "/usr/local/sbin", "/bin", "/sbin", "/opt/bin")
_KINDS = {"binaries": "bin", "manuals": "man", "sources": "src"}
_LISTS = {"binary_places": "bin", "manual_places": "man", "source_places": "src"}


@option_set
class Options:
    """whereis [-bmsul] [-B DIRECTORY... -f] [-M DIRECTORY... -f] [-S DIRECTORY... -f] NAME...

    Print the programs of each NAME, without its directories and suffix.
    """

    binaries: bool = opt("-b", help="programs")
    manuals: bool = opt("-m", help="manual pages")
    sources: bool = opt("-s", help="sources")
    unusual: bool = opt("-u", help="only names that have more than one entry")
    binary_places: bool = opt("-B", help="look for programs in these directories")
    manual_places: bool = opt("-M", help="look for manual pages in these directories")
    source_places: bool = opt("-S", help="look for sources in these directories")
    first: bool = opt("-f", help="ends the directories: names follow")
    listing: bool = opt("-l", help="print the directories of the search")


_SYNTAX = Syntax(Options)


def run(_: None, arguments: Sequence[str], ctx: Context) -> int:
    """Return 0, or 1 after a wrong command line."""
    if not arguments:
        raise UsageError("not enough arguments")
    search = _Search(ctx)
    pending = list(reversed(arguments))
    while pending:
        word = pending.pop()
        ctx.charge()
        if word[:1] != "-" or word == "-":
            search.look_up(word)
            continue
        if word[:2] == "--":
            _SYNTAX.parse([word])  # --help, --version, and errors of other long options
            raise UsageError(f"unrecognized option '{word}'")
        for at, letter in enumerate(word[1:], 2):
            option = _SYNTAX.short.get(letter)
            if option is None:
                raise UsageError(f"invalid option -- '{letter}'")
            if option.field in _LISTS and at == len(word):
                search.read_places(_LISTS[option.field], pending)
            else:
                search.option(option.field)
    if search.open_list:
        raise Failure("option -f is missing")
    return 0


class _Search:
    """The options so far: the kinds of files and the directories of the search."""

    def __init__(self, ctx: Context) -> None:
        self.ctx = ctx
        self.open_list = False
        self._unusual = False
        self._built_in: tuple[str, ...] = ("/usr/bin",)  #: directories of built-in utilities
        self._selected: set[str] = set()
        self._name_seen = False  #: after a name, the next option of a kind replaces the earlier ones
        self._places: dict[str, list[str]] = {"bin": self._existing(_PLACES), "man": [], "src": []}

    def option(self, field: str) -> None:
        """Apply one option, named by its field. Raises UsageError."""
        if field in _KINDS:
            if self._name_seen:
                self._selected, self._name_seen = set(), False
            self._selected.add(_KINDS[field])
        elif field == "unusual":
            self._unusual, self.open_list = True, False
        elif field == "first":
            self.open_list = False
        elif field == "listing":
            for kind, places in self._places.items():
                if not self._selected or kind in self._selected:
                    for place in places:
                        self.ctx.write_line(f"{kind}: {place}")
        else:
            raise UsageError("bad usage")

    def read_places(self, kind: str, pending: list[str]) -> None:
        """Pop the directories after -B, -M or -S from the arguments, which are reversed."""
        places = []
        while pending and pending[-1][:1] != "-":
            self.ctx.charge()
            places.append(pending.pop())
        self._places[kind] = self._existing(places)
        self._built_in = ("/usr/bin", "/bin")
        self.open_list = True

    def look_up(self, operand: str) -> None:
        """Print the line of one name."""
        from sandhook.utilities import is_utility

        self._name_seen = True
        name = operand.rstrip("/").rpartition("/")[2]
        paths = []
        for kind, places in self._places.items():
            if self._selected and kind not in self._selected:
                continue
            for place in places:
                path = f"{place}/{name}"
                built_in = place in self._built_in and (name in SHELLS or is_utility(name))
                if kind == "bin" and (is_program(path, self.ctx) or built_in):
                    paths.append(path)
                elif kind != "bin":
                    paths += self._files(place, name)
        if not self._unusual or len(paths) > 1:
            self.ctx.write_line(" ".join([f"{operand.rpartition('/')[2] or name}:", *paths]))

    def _files(self, place: str, name: str) -> list[str]:
        """Return the files with a name and any suffix, which manual pages and sources have."""
        entries = self.ctx.fs.listdir(VirtualPath(place))
        self.ctx.charge(1 + (len(entries) >> 4))
        return [f"{place}/{each.name}" for each in entries if each.name.partition(".")[0] == name]

    def _existing(self, places: Sequence[str]) -> list[str]:
        """Return the real paths of the directories that exist, without repetitions."""
        fs, paths = self.ctx.fs, dict.fromkeys(("/usr/bin",) if places is _PLACES else ())
        for place in places:
            path = self.ctx.path(place)
            if fs.is_dir(path):
                paths[fs.realpath(path)] = None
            elif place in ("/bin", "/usr/bin"):  # the directories of the built-in utilities
                paths["/usr/bin"] = None
        return list(paths)
