"""The environment of a run on the host, made from the agent's own.

A hook's script is trusted; what happens to stand in the environment of the agent is not part of it. So
variables that make any program load code, or a shell read its text otherwise, are left out unless the
hook's configuration names them. Data stays: HOME, LANG, proxies, tokens, the user's editor.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

#: Beginnings of names: the dynamic linkers, Python's interpreter, functions that bash would import, git's
#: configuration, and .NET's profilers.
_BEGINNINGS = ("LD_", "DYLD_", "PYTHON", "BASH_FUNC_", "GIT_CONFIG", "COR_", "CORECLR_")

#: What a start of a shell would read: its files, its options, how it splits and prompts.
_SHELLS = """
    BASH_ENV BASHOPTS BASH_LOADABLES_PATH BASH_XTRACEFD CDPATH ENV EXECIGNORE FPATH GLOBIGNORE IFS
    PROMPT_COMMAND PS0 PS4 SHELLOPTS TIMEFORMAT ZDOTDIR
"""

#: What interpreters and the C library load before the program that they are asked for.
_LOADERS = """
    AWKLIBPATH AWKPATH CLASSPATH DOTNET_ADDITIONAL_DEPS DOTNET_SHARED_STORE DOTNET_STARTUP_HOOKS GCONV_PATH
    GLIBC_TUNABLES HOSTALIASES JAVA_TOOL_OPTIONS JDK_JAVA_OPTIONS LESSCLOSE LESSOPEN LOCPATH LUA_CPATH LUA_INIT
    LUA_PATH NLSPATH NODE_OPTIONS NODE_PATH NPM_CONFIG_NODE_OPTIONS OPENSSL_CONF OPENSSL_ENGINES
    OPENSSL_MODULES PERL5DB PERL5LIB PERL5OPT PERLLIB PHPRC PHP_INI_SCAN_DIR RUBYLIB RUBYOPT R_PROFILE
    R_PROFILE_USER _JAVA_OPTIONS
"""

#: Where git looks instead of the directory it is in (an agent that a git hook started has them), and what it
#: runs on its way. Names, dates and prompts of git stay.
_GIT = """
    GIT_ALTERNATE_OBJECT_DIRECTORIES GIT_COMMON_DIR GIT_DIR GIT_EXEC_PATH GIT_EXTERNAL_DIFF GIT_GRAFT_FILE
    GIT_IMPLICIT_WORK_TREE GIT_INDEX_FILE GIT_INTERNAL_SUPER_PREFIX GIT_NAMESPACE GIT_NO_REPLACE_OBJECTS
    GIT_OBJECT_DIRECTORY GIT_PREFIX GIT_PROXY_COMMAND GIT_QUARANTINE_PATH GIT_REPLACE_REF_BASE
    GIT_SHALLOW_FILE GIT_SSH GIT_SSH_COMMAND GIT_TEMPLATE_DIR GIT_WORK_TREE
"""

_NAMES = frozenset((_SHELLS + _LOADERS + _GIT).split())

#: Without these, programs of Windows do not start, or fail where nobody expects it.
_WINDOWS = frozenset({
    "ALLUSERSPROFILE", "COMSPEC", "NUMBER_OF_PROCESSORS", "OS", "PATHEXT", "PROCESSOR_ARCHITECTURE", "PROGRAMDATA",
    "SYSTEMDRIVE", "SYSTEMROOT", "TEMP", "TMP", "WINDIR",
})  # fmt: skip

POLICIES = ("inherit", "allow", "fresh")


def loads_code(name: str) -> bool:
    """Whether a variable makes programs load code, or a shell read its text otherwise. Case counts for nothing."""
    upper = name.upper()
    return upper in _NAMES or upper.startswith(_BEGINNINGS)


def build(
    policy: str,
    host_env: Mapping[str, str],
    *,
    names: Collection[str] = (),
    keep: Collection[str] = (),
    without: Collection[str] = (),
    extra: Mapping[str, str] = {},
    windows: bool = False,
) -> dict[str, str]:
    """Return the whole environment of a run.

    PATH is taken under every policy, for without it no program is found, but only its absolute entries:
    what a command means must not depend on the directory that a hook runs in.

    Args:
        policy: "inherit" all of the host's environment, "allow" those of ``names``, or begin "fresh".
        host_env: The environment that is there.
        names: What "allow" takes, whatever ``loads_code`` says of it.
        keep: Names that "inherit" takes although they load code; one that ends in "*" is a beginning.
        without: Beginnings of names that "inherit" leaves out.
        extra: Set in any case, over all others.
        windows: Names are those of Windows: their case counts for nothing, and the result has them in upper
            case, but for ``extra``. What no program of Windows can do without is taken under every policy.

    Raises:
        ValueError: There is no such policy.
    """
    if policy not in POLICIES:
        raise ValueError(f"env_policy is {policy!r}: {', '.join(POLICIES)}")
    given = {name.upper(): value for name, value in host_env.items()} if windows else dict(host_env)
    wanted = _folded(names, windows) if policy == "allow" else ()
    if policy == "inherit":
        left_out = tuple(_folded(without, windows))
        kept = tuple(_folded(keep, windows))
        made = {
            name: value
            for name, value in given.items()
            if not name.startswith(left_out) and (not loads_code(name) or _named(name, kept))
        }
    else:
        made = {name: given[name] for name in wanted if name in given}
    if windows:
        made = {**{name: value for name, value in given.items() if name in _WINDOWS}, **made}
    if "PATH" in given:
        made["PATH"] = absolute_entries(given["PATH"], windows=windows)
    if not windows:
        return {**made, **extra}
    for name in extra:
        made.pop(name.upper(), None)
    return {**made, **extra}


def absolute_entries(path: str, *, windows: bool = False) -> str:
    """Return a PATH without entries that depend on the working directory: empty ones, ".", and all relative ones."""
    if not windows:
        return ":".join(entry for entry in path.split(":") if entry.startswith("/"))
    return ";".join(entry for entry in path.split(";") if _is_absolute(entry.strip('"')))


def _is_absolute(entry: str) -> bool:
    r"""Whether an entry of Windows' PATH is ``X:\...`` or a share; ``\x`` depends on the current drive."""
    entry = entry.replace("\\", "/")
    return entry[1:3] == ":/" or (entry.startswith("//") and not entry.startswith(("//./", "//?/")))


def _folded(names: Collection[str], windows: bool) -> list[str]:
    return [name.upper() for name in names] if windows else list(names)


def _named(name: str, kept: tuple[str, ...]) -> bool:
    return any(name.startswith(one[:-1]) if one.endswith("*") else name == one for one in kept)
