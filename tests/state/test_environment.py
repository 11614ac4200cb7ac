"""What utilities see of the shell's variables: one of them is what all of them have under its name."""

from __future__ import annotations

import pytest

from sandhook import Shell
from sandhook.state import environment
from sandhook.state.environment import exported_value, exported_variables
from sandhook.state.state import State

#: Each runs `env` in several states of the variables.
SCRIPTS = [
    "env; x=1 env; export y=2; env; unset y; env",
    "f() { local -x a=1 b=2; env; g; }; g() { local a; env; local -x b=3; env; }; f; env",
    "export a=1; f() { local a=2; env; unset a; env; local +x a=3; env; }; f; a=4 f",
    "export v=1; declare -nx r=v; env; f() { local -n r=w; env; }; f; declare -nx empty; env",
    "declare -ax l=(1 2); declare -Ax m=([k]=v); env; f() { local l=x; env; }; f",
    "declare -ix n=3; declare -x unset_one; export LINENO; env",
    "(exec env); (exec bash -c env); exec -a other bash -c 'env; exec env'",
    "env -i 'a.b=1' x=2 bash -c 'env; x=3 env; unset x; env'",
    "_=7 env; export _; env; SHLVL=5 env; unset SHLVL; env",
    "env | env; (env); x=$(env); env & wait",
]


@pytest.mark.parametrize("script", SCRIPTS)
def test_one_variable_is_what_all_have_under_its_name(script: str, monkeypatch: pytest.MonkeyPatch) -> None:
    states: list[State] = []

    def compared(state: State) -> dict[str, str]:
        states.append(state)
        whole = exported_variables(state)
        names = {*whole, *state.attributes, *state.namerefs, "_", "SHLVL", "none"}
        names.update(name for frame in state.frames for name in frame.saved)
        assert {name: exported_value(state, name) for name in names} == {
            name: whole.get(name) for name in names
        }
        return whole

    monkeypatch.setattr(environment, "exported_variables", compared)
    result = Shell(env={"PATH": "/usr/bin", "HOME": "/", "outer": "1"}).run(script)
    assert result.defect is None and states


def test_utilities_see_them_as_a_mapping() -> None:
    script = "export a=1 e=; printenv a; printenv e; printenv none; printenv | grep -c '^[ae]='"
    result = Shell(env={"PATH": "/usr/bin"}).run(script)
    assert (result.stdout, result.exit_status) == ("1\n\n2\n", 0)
