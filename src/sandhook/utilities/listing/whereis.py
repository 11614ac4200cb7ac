"""whereis: print where programs are.

Oracle: util-linux 2.38. Divergence: L-WHEREIS-001: there are no manual pages and no sources but in directories that -M
and -S name; a built-in utility is in /usr/bin; -g is refused.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.context import Context, Failure
from sandhook.command.options import Syntax, UsageError, opt, option_set
from sandhook.utilities.listing.which import SHELLS, is_program
from sandhook.vfs.path import VirtualPath

RAW = True  # what stands after -B, -M and -S are directories, and options go for the names after them

_PLACES = ("/usr/bin", "/usr/sbin", "/usr/local/bin", "/usr/local/sbin", "/bin", "/sbin", "/opt/bin")
_KINDS = {"binaries": "bin", "manuals": "man", "sources": "src"}
_LISTS = {"binary_places": "bin", "manual_places": "man", "source_places": "src"}


@option_set
class Options:
    """whereis [-bmsul] [-B DIRECTORY... -f] [-M DIRECTORY... -f] [-S DIRECTORY... -f] NAME...

    Print the programs of each NAME; directories and a suffix are taken off it first.
    """

    binaries: bool = opt("-b", help="programs")
    manuals: bool = opt("-m", help="manual pages")
    sources: bool = opt("-s", help="sources")
    unusual: bool = opt("-u", help="only names that have more than one entry")
    binary_places: bool = opt("-B", help="look for programs in these directories")
    manual_places: bool = opt("-M", help="look for manual pages in these directories")
    source_places: bool = opt("-S", help="look for sources in these directories")
    first: bool = opt("-f", help="ends the directories: names follow")
    listing: bool = opt("-l", help="print the directories that are looked into")


_SYNTAX = Syntax(Options)


def run(_: None, arguments: Sequence[str], ctx: Context) -> int:
    """Return 0, or 1 after a wrong command line."""
    if not arguments:
        raise UsageError("not enough arguments")
    search = _Search(ctx)
    rest = list(reversed(arguments))
    while rest:
        word = rest.pop()
        ctx.charge()
        if word[:1] != "-" or word == "-":
            search.look_up(word)
            continue
        if word[:2] == "--":
            _SYNTAX.parse([word])  # --help, --version, and what is wrong with others
            raise UsageError(f"unrecognized option '{word}'")
        for at, letter in enumerate(word[1:], 2):
            option = _SYNTAX.short.get(letter)
            if option is None:
                raise UsageError(f"invalid option -- '{letter}'")
            if option.field in _LISTS and at == len(word):
                search.take_places(_LISTS[option.field], rest)
            else:
                search.option(option.field)
    if search.open_list:
        raise Failure("option -f is missing")
    return 0


class _Search:
    """What is looked for, and where: the options so far."""

    def __init__(self, ctx: Context) -> None:
        self.ctx = ctx
        self.open_list = False
        self._unusual = False
        self._built_in: tuple[str, ...] = ("/usr/bin",)  #: where built-in utilities seem to be
        self._wanted: set[str] = set()
        self._named = False  #: a name was looked up, so that the next option of a kind begins anew
        self._places: dict[str, list[str]] = {"bin": self._existing(_PLACES), "man": [], "src": []}

    def option(self, field: str) -> None:
        """Apply one option, named by its field. Raises UsageError."""
        if field in _KINDS:
            if self._named:
                self._wanted, self._named = set(), False
            self._wanted.add(_KINDS[field])
        elif field == "unusual":
            self._unusual, self.open_list = True, False
        elif field == "first":
            self.open_list = False
        elif field == "listing":
            for kind, places in self._places.items():
                if not self._wanted or kind in self._wanted:
                    for place in places:
                        self.ctx.write_line(f"{kind}: {place}")
        else:
            raise UsageError("bad usage")

    def take_places(self, kind: str, rest: list[str]) -> None:
        """Take the directories after -B, -M or -S out of the rest (which is reversed)."""
        taken = []
        while rest and rest[-1][:1] != "-":
            self.ctx.charge()
            taken.append(rest.pop())
        self._places[kind] = self._existing(taken)
        self._built_in = ("/usr/bin", "/bin")
        self.open_list = True

    def look_up(self, operand: str) -> None:
        """Print the line of one name."""
        from sandhook.utilities import is_utility

        self._named = True
        name = operand.rstrip("/").rpartition("/")[2]
        found = []
        for kind, places in self._places.items():
            if self._wanted and kind not in self._wanted:
                continue
            for place in places:
                path = f"{place}/{name}"
                built_in = place in self._built_in and (name in SHELLS or is_utility(name))
                if kind == "bin" and (is_program(path, self.ctx) or built_in):
                    found.append(path)
                elif kind != "bin":
                    found += self._files(place, name)
        if not self._unusual or len(found) > 1:
            self.ctx.write_line(" ".join([f"{operand.rpartition('/')[2] or name}:", *found]))

    def _files(self, place: str, name: str) -> list[str]:
        """Return the files of a name with any suffix: pages and sources have one."""
        entries = self.ctx.fs.listdir(VirtualPath(place))
        self.ctx.charge(1 + (len(entries) >> 4))
        return [f"{place}/{each.name}" for each in entries if each.name.partition(".")[0] == name]

    def _existing(self, places: Sequence[str]) -> list[str]:
        """Return the directories that there are by their true names, each once."""
        fs, found = self.ctx.fs, dict.fromkeys(("/usr/bin",) if places is _PLACES else ())
        for place in places:
            path = self.ctx.path(place)
            if fs.is_dir(path):
                found[fs.realpath(path)] = None
            elif place in ("/bin", "/usr/bin"):  # where the built-in utilities are
                found["/usr/bin"] = None
        return list(found)
