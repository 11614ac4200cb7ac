"""Builds the environment of a run in host mode from that of the agent.

A hook's script is trusted. The environment of the agent is not part of the script. So variables that make
a program load code, or a shell parse differently, are removed unless the hook's configuration names
them. Data remains: HOME, LANG, proxies, tokens, the user's editor.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Literal

#: Prefixes of names: dynamic linkers, Python, functions that bash imports, git's configuration, .NET's profilers.
_PREFIXES = ("LD_", "DYLD_", "PYTHON", "BASH_FUNC_", "GIT_CONFIG", "COR_", "CORECLR_")

#: Variables that a shell reads when it starts: files, options, IFS, prompts.
_SHELLS = """
    BASH_ENV BASHOPTS BASH_LOADABLES_PATH BASH_XTRACEFD CDPATH ENV EXECIGNORE FPATH GLOBIGNORE IFS
    PROMPT_COMMAND PS0 PS4 SHELLOPTS TIMEFORMAT ZDOTDIR
"""

#: Variables that make interpreters or the C library load code before the program.
_LOADERS = """
    AWKLIBPATH AWKPATH CLASSPATH DOTNET_ADDITIONAL_DEPS DOTNET_SHARED_STORE DOTNET_STARTUP_HOOKS GCONV_PATH
    GLIBC_TUNABLES HOSTALIASES JAVA_TOOL_OPTIONS JDK_JAVA_OPTIONS LESSCLOSE LESSOPEN LOCPATH LUA_CPATH LUA_INIT
    LUA_PATH NLSPATH NODE_OPTIONS NODE_PATH NPM_CONFIG_NODE_OPTIONS OPENSSL_CONF OPENSSL_ENGINES
    OPENSSL_MODULES PERL5DB PERL5LIB PERL5OPT PERLLIB PHPRC PHP_INI_SCAN_DIR RUBYLIB RUBYOPT R_PROFILE
    R_PROFILE_USER _JAVA_OPTIONS
"""

#: Variables that send git to another repository (an agent that a git hook started has them), or make git run
#: programs. Names, dates and prompts of git stay.
_GIT = """
    GIT_ALTERNATE_OBJECT_DIRECTORIES GIT_COMMON_DIR GIT_DIR GIT_EXEC_PATH GIT_EXTERNAL_DIFF GIT_GRAFT_FILE
    GIT_IMPLICIT_WORK_TREE GIT_INDEX_FILE GIT_INTERNAL_SUPER_PREFIX GIT_NAMESPACE GIT_NO_REPLACE_OBJECTS
    GIT_OBJECT_DIRECTORY GIT_PREFIX GIT_PROXY_COMMAND GIT_QUARANTINE_PATH GIT_REPLACE_REF_BASE
    GIT_SHALLOW_FILE GIT_SSH GIT_SSH_COMMAND GIT_TEMPLATE_DIR GIT_WORK_TREE
"""

_NAMES = frozenset((_SHELLS + _LOADERS + _GIT).split())

#: Programs of Windows do not start, or fail in unexpected ways, without these variables.
_WINDOWS = frozenset({
    "ALLUSERSPROFILE", "COMSPEC", "NUMBER_OF_PROCESSORS", "OS", "PATHEXT", "PROCESSOR_ARCHITECTURE", "PROGRAMDATA",
    "SYSTEMDRIVE", "SYSTEMROOT", "TEMP", "TMP", "WINDIR",
})  # fmt: skip

POLICIES = ("inherit", "allow", "fresh")


#: Which variables of the host's own environment a run inherits.
EnvPolicy = Literal["fresh", "inherit", "allow"]


def loads_code(name: str) -> bool:
    """Return True for a variable that makes programs load code, or a shell parse differently; case is ignored."""
    upper = name.upper()
    return upper in _NAMES or upper.startswith(_PREFIXES)


def build(
    policy: EnvPolicy,
    host_env: Mapping[str, str],
    *,
    names: Collection[str] = (),
    keep: Collection[str] = (),
    without: Collection[str] = (),
    extra: Mapping[str, str] = {},
    windows: bool = False,
) -> dict[str, str]:
    """Return the whole environment of a run.

    Every policy copies PATH, because without it no program is found, but only its absolute entries: the
    meaning of a command must not depend on the directory that a hook runs in.

    Args:
        policy: "inherit" copies the host's environment, "allow" copies ``names``, "fresh" begins empty.
        host_env: The host's environment.
        names: Variables that "allow" copies, even if ``loads_code`` is True for them.
        keep: Names that "inherit" copies although they load code; a name that ends in "*" is a prefix.
        without: Prefixes of names that "inherit" excludes.
        extra: Variables that are always set; they override all others.
        windows: Names are those of Windows: their case is ignored, and the result has them in upper
            case, except for ``extra``. Every policy copies the variables that all programs of Windows need.

    Raises:
        ValueError: ``policy`` is not a policy.
    """
    if policy not in POLICIES:
        raise ValueError(f"env_policy is {policy!r}: {', '.join(POLICIES)}")
    variables = {name.upper(): value for name, value in host_env.items()} if windows else dict(host_env)
    allowed_names = _fold_names(names, windows) if policy == "allow" else ()
    if policy == "inherit":
        excluded_prefixes = tuple(_fold_names(without, windows))
        patterns = tuple(_fold_names(keep, windows))
        result = {
            name: value
            for name, value in variables.items()
            if not name.startswith(excluded_prefixes) and (not loads_code(name) or _matches(name, patterns))
        }
    else:
        result = {name: variables[name] for name in allowed_names if name in variables}
    if windows:
        result = {**{name: value for name, value in variables.items() if name in _WINDOWS}, **result}
    if "PATH" in variables:
        result["PATH"] = absolute_entries(variables["PATH"], windows=windows)
    if not windows:
        return {**result, **extra}
    for name in extra:
        result.pop(name.upper(), None)
    return {**result, **extra}


def absolute_entries(path: str, *, windows: bool = False) -> str:
    """Return a PATH without entries that depend on the working directory: empty ones, ".", and all relative ones."""
    if not windows:
        return ":".join(entry for entry in path.split(":") if entry.startswith("/"))
    return ";".join(entry for entry in path.split(";") if _is_absolute(entry.strip('"')))


def _is_absolute(entry: str) -> bool:
    r"""Return True for ``X:\...`` and shares; ``\x`` depends on the current drive."""
    entry = entry.replace("\\", "/")
    return entry[1:3] == ":/" or (entry.startswith("//") and not entry.startswith(("//./", "//?/")))


def _fold_names(names: Collection[str], windows: bool) -> list[str]:
    return [name.upper() for name in names] if windows else list(names)


def _matches(name: str, patterns: tuple[str, ...]) -> bool:
    return any(
        name.startswith(pattern[:-1]) if pattern.endswith("*") else name == pattern for pattern in patterns
    )
