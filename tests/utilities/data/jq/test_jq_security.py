"""What a jq program must not reach, and with each refusal the neighbour that must work."""

from __future__ import annotations

import pytest

from sandhook.utilities.data.jq.zone import posix_zone

SECRET = "host-secret-value"


@pytest.fixture(autouse=True)
def host_secret(monkeypatch, tmp_path):
    """Give the host a secret variable, a ~/.jq and modules to be found."""
    monkeypatch.setenv("HOST_SECRET", SECRET)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("JQ_LIBRARY_PATH", str(tmp_path))
    (tmp_path / ".jq").write_text(f'def leaked: "{SECRET}";')
    (tmp_path / "m.jq").write_text(f'def leaked: "{SECRET}";')
    (tmp_path / "m.json").write_text(f'"{SECRET}"')
    return tmp_path


@pytest.mark.parametrize(
    "program",
    [
        "$ENV.HOST_SECRET",
        "env.HOST_SECRET",
        "$ENV | tojson",
        "env | to_entries",
        '"\\(env)"',
        '"\\($ENV)"',
        '"\\("\\(env.HOST_SECRET)")"',
        '@text "\\(env)"',
        "[env][0]",
        "$ENV|..",
        "$ ENV",
        "$ # a comment\n ENV",
        "def f: env; f",
        "def f: $ENV; f",
        "1 as $x | $ENV",
        "{$ENV}",
        "{env: env}",
        "[$ENV[]]",
        "$ENV as $e | $e",
        "env as {HOST_SECRET: $x} | $x",
        "try error($ENV) catch .",
        "# \\\n\\\nenv\n| env",
        "getpath([]) | env",
        "[limit(1; env)]",
        "reduce env as $e (0; $e)",
        "$__prog_args",
        '"" | ltrimstr(env)',
    ],
)
def test_the_host_s_variables_do_not_show(way, utility, program):
    _, out, err = utility("jq", "-n", program, env={"OWN": "mine"}, same=False)
    assert SECRET not in out + err
    assert "HOST_SECRET" not in out


def test_the_script_s_own_variables_do(way, utility):
    program = '$ENV.OWN, env.OWN, (env | keys | length), "\\(env.OWN)", ({$ENV} | .ENV.OWN)'
    assert utility("jq", "-nr", program, env={"OWN": "mine"}, same=False) == (
        0,
        "mine\nmine\n1\nmine\nmine\n",
        "",
    )


@pytest.mark.parametrize(
    ("program", "printed"),
    [
        ('"$ENV.PATH"', '"$ENV.PATH"'),
        (".env, .ENV", "1\n2"),
        ('{env: 1, "ENV": 2} | keys | length', "2"),
        ("{env} | .env", "1"),
        ("5 as $ENV | $ENV", "5"),
        ("def env: 7; env", "7"),
        ("# env and $ENV\n3", "3"),
        ('"env" | length', "3"),
    ],
)
def test_what_only_looks_like_the_environment_is_left_alone(utility, program, printed):
    data = '{"env": 1, "ENV": 2}'
    assert utility("jq", program, stdin=data, env={"OWN": "mine"}) == (0, printed + "\n", "")


@pytest.mark.parametrize(
    "program",
    [
        'import "m" as m; m::leaked',
        'import "m" as $m; $m',
        'import "m" as $m {search: "/"}; $m',
        'import "m" as $m {search: "~"}; $m',
        '  \t\nimport\n"m" as $m; $m',
        '# comment\nimport "m" as $m; $m',
        '#\\\\\nimport "m" as $m; $m',
        'include "m"; leaked',
        'include"m";leaked',
        'module {}; include "m"; leaked',
    ],
)
def test_modules_of_the_host_are_not_found(way, utility, host_secret, program):
    for directory in (str(host_secret), "/", "."):
        status, out, err = utility("jq", "-L", directory, "-n", program, same=False)
        assert (status, out, err) == (3, "", "jq: error: module not found: m\n\njq: 1 compile error\n")


@pytest.mark.parametrize("program", ['"m" | modulemeta', '"\\("m" | modulemeta)"'])
def test_nor_is_what_they_define(way, utility, host_secret, program):
    status, out, err = utility("jq", "-L", str(host_secret), "-n", program, same=False)
    assert (status, out) == (5, "")
    assert err.endswith("): module not found: m\n")


def test_the_path_of_modules_is_the_script_s(way, utility):
    assert utility("jq", "-nc", "get_search_list", same=False)[1] == (
        '["~/.jq","$ORIGIN/../lib/jq","$ORIGIN/../lib"]\n'
    )


@pytest.mark.parametrize("name", ["get_prog_origin", "get_jq_origin"])
def test_where_libjq_is_stays_its_own(way, utility, name):
    status, out, err = utility("jq", "-n", name, same=False)
    assert (status, out, err) == (3, "", f"jq: error: {name} is not supported (L-JQ-001)\n")


@pytest.mark.parametrize(
    ("program", "printed"),
    [
        ('"import"', '"import"'),
        (".import", "1"),
        ("{import: 2} | .import", "2"),
        ("{include: 2, module: 3} | .include + .module", "5"),
        ("# import\n4", "4"),
        ('"a" as $import | $import', '"a"'),
        ('"modulemeta" | length', "10"),
        ('.["input_line_number"]', "null"),
        ('"\\("include")"', '"include"'),
    ],
)
def test_words_that_are_no_modules_are_not(utility, program, printed):
    assert utility("jq", program, stdin='{"import": 1}', same=False) == (0, printed + "\n", "")


@pytest.mark.parametrize(
    "program",
    [
        '# \\\nimport "m" as $m; $m',
        '1 # \\\r\nimport "m" as $m; $m',
        "leaked",
        '"\\u0000" | leaked',
        '1) | (import "m" as $m; $m',
        "1) | (leaked",
        '"\\(1)") | (leaked',
    ],
)
def test_no_module_file_is_ever_read(way, utility, program):
    _, out, err = utility("jq", "-n", program, same=False)
    assert SECRET not in out + err


@pytest.mark.parametrize(
    "options",
    [("-L", "/tmp"), ("-L/tmp",), ("-nL", "/tmp"), ("--library-path", "/tmp")],
)
def test_directories_of_modules_are_of_the_virtual_files(way, utility, options):
    assert utility("jq", *options, "-n", 'import "m" as $m; $m', files={"/tmp/m.json": "7"}, same=False) == (
        0,
        "[\n  7\n]\n",
        "",
    )


@pytest.mark.parametrize("program", ["1) | (2", "1] | [2", "1}, {2", '"\\(1', ")(", "(]", '"'])
def test_a_program_cannot_leave_what_is_wrapped_around_it(way, utility, program):
    status, out, err = utility("jq", "-n", program)
    assert (status, out) == (3, "")
    assert "compile error" in err


@pytest.mark.parametrize(
    "program",
    ["$__sandhook_in", "$__sandhook_now", "$__sandhook_bad", "$__sandhook_at"],
)
def test_the_wrapping_s_own_variables_are_refused(utility, program):
    status, _, err = utility("jq", program, same=False)
    assert (status, "is not supported" in err) == (3, True)


def test_the_wrapping_s_definitions_end_with_the_program(utility):
    status, _, err = utility("jq", "-n", "def tojson: 5; def type: 6; 1")
    assert (status, err) == (0, "")
    assert utility("jq", "-nc", "def tojson: 5; def error: 6; {a: 1}") == (0, '{"a":1}\n', "")


@pytest.mark.parametrize("program", ["debug", 'debug("m")', "stderr", "[.[]? | debug]", "try debug catch ."])
def test_debug_and_stderr_print_nothing_on_the_host(way, utility, capfd, program):
    assert utility("jq", "-nc", program, same=False)[0] == 0
    assert capfd.readouterr() == ("", "")


def test_what_the_package_s_interface_lacks_is_named(wrapped, utility):
    status, _, err = utility("jq", "-n", "input_line_number", same=False)
    assert (status, err) == (3, "jq: error: input_line_number is not supported (L-JQ-002)\n")
    status, _, err = utility("jq", "--stream-errors", ".", same=False)
    assert (status, "--stream-errors is not supported (L-JQ-006)" in err) == (2, True)


@pytest.mark.parametrize(
    ("zone", "posix"),
    [
        ("Europe/Berlin", "<CET>-1:00:00<CEST>-2:00:00,M3.5.0/2:00:00,M10.5.0/3:00:00"),
        ("CET-1CEST", "<CET>-1:00:00<CEST>-2:00:00,M3.2.0/2:00:00,M11.1.0/2:00:00"),
        ("<x+1>-1:30", "<x+1>-1:30:00"),
        ("", "<UTC>0:00:00"),
        ("/etc/passwd", "UTC0"),
        (":../../etc/passwd", "UTC0"),
        ("A" * 1000 + "1", "UTC0"),
        ("CET-999", "UTC0"),
        ("Etc/passwd", "<Etc>0:00:00"),
    ],
)
def test_a_time_zone_reaches_libc_as_a_rule_alone(zone, posix):
    assert posix_zone(zone) == posix


def test_a_time_zone_is_that_of_one_run(native, utility):
    for zone, hour in (("Asia/Tokyo", 9), ("", 0), ("EST5", 19), ("UTC", 0)):
        out = utility("jq", "-nc", "0 | localtime[3]", env={"TZ": zone}, same=False)[1]
        assert out == f"{hour}\n"


def test_on_windows_it_is_refused(wrapped, utility):
    status, out, err = utility("jq", "-n", "0 | localtime", env={"TZ": "Europe/Berlin"}, same=False)
    assert (status, out) == (3, "")
    assert "(L-JQ-007)" in err


def test_the_clock_is_the_script_s(sandbox):
    status, out, _ = sandbox.run("jq", "-n", "now | type, (. > 1e9)")
    assert (status, out) == (0, b'"number"\ntrue\n')
