"""Options of the shell: what ``set -o`` and ``shopt`` switch."""

from __future__ import annotations

#: ``set`` options: long name to letter ("" when it has none), in the order of ``set -o``.
SET_OPTIONS: dict[str, str] = {
    "allexport": "a", "braceexpand": "B", "emacs": "", "errexit": "e", "errtrace": "E",
    "functrace": "T", "hashall": "h", "histexpand": "H", "history": "", "ignoreeof": "",
    "interactive-comments": "", "keyword": "k", "monitor": "m", "noclobber": "C", "noexec": "n",
    "noglob": "f", "nolog": "", "notify": "b", "nounset": "u", "onecmd": "t", "physical": "P",
    "pipefail": "", "posix": "", "privileged": "p", "verbose": "v", "vi": "", "xtrace": "x",
}  # fmt: skip
LETTERS: dict[str, str] = {letter: name for name, letter in SET_OPTIONS.items() if letter}

#: ``shopt`` options with their defaults in a non-interactive shell.
SHOPT_OPTIONS: dict[str, bool] = {
    "autocd": False, "assoc_expand_once": False, "cdable_vars": False, "cdspell": False,
    "checkhash": False, "checkjobs": False, "checkwinsize": True, "cmdhist": True, "compat31": False,
    "compat32": False, "compat40": False, "compat41": False, "compat42": False, "compat43": False,
    "compat44": False, "complete_fullquote": True, "direxpand": False, "dirspell": False,
    "dotglob": False, "execfail": False, "expand_aliases": False, "extdebug": False, "extglob": False,
    "extquote": True, "failglob": False, "force_fignore": True, "globasciiranges": True,
    "globskipdots": True, "globstar": False, "gnu_errfmt": False, "histappend": False,
    "histreedit": False, "histverify": False, "hostcomplete": True, "huponexit": False,
    "inherit_errexit": False, "interactive_comments": True, "lastpipe": False, "lithist": False,
    "localvar_inherit": False, "localvar_unset": False, "login_shell": False, "mailwarn": False,
    "no_empty_cmd_completion": False, "nocaseglob": False, "nocasematch": False,
    "noexpand_translation": False, "nullglob": False, "patsub_replacement": True, "progcomp": True,
    "progcomp_alias": False, "promptvars": True, "restricted_shell": False, "shift_verbose": False,
    "sourcepath": True, "varredir_close": False, "xpg_echo": False,
}  # fmt: skip


#: ``shopt`` options that posix mode switches.
POSIX_SHOPTS = frozenset({"expand_aliases", "inherit_errexit", "shift_verbose"})


class Options:
    """The switches of one shell. An option that hot code reads has a slot; the rest is in two sets.

    It is replaced and never changed in place, so a subshell shares it until one of the two shells
    switches an option (``State.set_option``, ``State.set_shopt``).

    Attributes:
        enabled: ``set`` options that are on, by long name.
        shopts: ``shopt`` options that are on.
        listed: Those that BASHOPTS has: bash writes it anew when ``shopt`` switches one, and not for posix mode.
    """

    __slots__ = (
        "allexport", "enabled", "errexit", "errtrace", "extglob", "functrace", "lastpipe", "listed", "nocasematch",
        "noclobber", "noglob", "nounset", "pipefail", "posix", "shopts", "xtrace",
    )  # fmt: skip

    #: The options that have a slot of the same name.
    MIRRORED = frozenset({
        "allexport", "errexit", "errtrace", "functrace", "noclobber", "noglob", "nounset", "pipefail", "posix",
        "xtrace",
    })  # fmt: skip
    MIRRORED_SHOPTS = frozenset({"extglob", "lastpipe", "nocasematch"})

    def __init__(self) -> None:
        self.enabled: frozenset[str] = frozenset({"braceexpand", "hashall", "interactive-comments"})
        self.shopts: frozenset[str] = _DEFAULT_SHOPTS
        self.listed = self.shopts
        self.allexport = self.errexit = self.errtrace = self.functrace = self.noclobber = False
        self.noglob = self.nounset = self.pipefail = self.posix = self.xtrace = False
        self.extglob = self.lastpipe = self.nocasematch = False

    @classmethod
    def of(cls, enabled: frozenset[str], shopts: frozenset[str]) -> Options:
        """Return the options of which exactly these are on."""
        new = cls()
        new.enabled, new.shopts, new.listed = enabled, shopts, shopts
        for name in cls.MIRRORED:
            setattr(new, name, name in enabled)
        for name in cls.MIRRORED_SHOPTS:
            setattr(new, name, name in shopts)
        return new

    def copy(self) -> Options:
        new = Options.__new__(Options)
        new.enabled = self.enabled
        new.shopts = self.shopts
        new.listed = self.listed
        new.allexport = self.allexport
        new.errexit = self.errexit
        new.errtrace = self.errtrace
        new.extglob = self.extglob
        new.functrace = self.functrace
        new.lastpipe = self.lastpipe
        new.nocasematch = self.nocasematch
        new.noclobber = self.noclobber
        new.noglob = self.noglob
        new.nounset = self.nounset
        new.pipefail = self.pipefail
        new.posix = self.posix
        new.xtrace = self.xtrace
        return new

    def with_shopts_of(self, other: Options) -> Options:
        """Return these ``set`` options together with the ``shopt`` options of ``other``."""
        new = self.copy()
        new.shopts, new.listed = other.shopts, other.listed
        for name in self.MIRRORED_SHOPTS:
            setattr(new, name, getattr(other, name))
        return new

    def with_option(self, name: str, on: bool) -> Options:
        """Return a copy with a ``set`` option switched. Raises KeyError for an unknown long name."""
        if name not in SET_OPTIONS:
            raise KeyError(name)
        new = self.copy()
        new._switch(name, on)
        return new

    def with_shopt(self, name: str, on: bool) -> Options:
        """Return a copy with a ``shopt`` option switched. Raises KeyError for an unknown name."""
        if name not in SHOPT_OPTIONS:
            raise KeyError(name)
        new = self.copy()
        new._switch_shopt(name, on)
        new.listed = new.shopts
        return new

    def as_listed(self) -> Options:
        """Return a copy that BASHOPTS shows as it is, as at the start of a shell in posix mode."""
        new = self.copy()
        new.listed = new.shopts
        return new

    def _switch(self, name: str, on: bool) -> None:
        self.enabled = self.enabled | {name} if on else self.enabled - {name}
        if name in self.MIRRORED:
            setattr(self, name, on)
        if name == "posix":
            for each in POSIX_SHOPTS:
                if on or each != "inherit_errexit":  # that one stays
                    self._switch_shopt(each, on)

    def _switch_shopt(self, name: str, on: bool) -> None:
        self.shopts = self.shopts | {name} if on else self.shopts - {name}
        if name in self.MIRRORED_SHOPTS:
            setattr(self, name, on)
        if name == "extdebug":  # a debugger sees into functions
            self._switch("functrace", on)
            self._switch("errtrace", on)

    def flags(self, also: str = "") -> str:
        """Return ``$-``, with letters that no option of ``set`` stands for put in their places."""
        letters = [SET_OPTIONS[name] for name in self.enabled]
        return "".join(sorted([*letters, *also], key=_FLAG_ORDER.find))


_FLAG_ORDER = "abefhikmnprtuvxBCEHPT"
_DEFAULT_SHOPTS = frozenset(name for name, on in SHOPT_OPTIONS.items() if on)

#: What a shell begins with.
INITIAL_OPTIONS = Options()
