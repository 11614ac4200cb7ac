from __future__ import annotations

import re
import shlex

import pytest

from sandhook.errors import LimitExceeded
from sandhook.shell import Shell
from sandhook.utilities.system.printf.common import Caller, format_printf


@pytest.mark.parametrize(
    ("arguments", "status", "stdout", "stderr"),
    [
        (["%d|\\n", "3x"], 1, "3|\n", "printf: 3x: invalid number\n"),
        (["%d|\\n", ""], 0, "0|\n", ""),
        (["%d|\\n"], 0, "0|\n", ""),
        (
            ["%d|\\n", "99999999999999999999"],
            0,
            "9223372036854775807|\n",
            "printf: warning: 99999999999999999999: Numerical result out of range\n",
        ),
        (
            ["%u|\\n", "-1", "99999999999999999999", "-99999999999999999999"],
            0,
            "18446744073709551615|\n18446744073709551615|\n18446744073709551615|\n",
            "printf: warning: 99999999999999999999: Numerical result out of range\nprintf: warning: -99999999999999999999: Numerical result out of range\n",
        ),
        (
            ["%d|\\n", "0x1F", "010", "09", "'a", '"é', "'", "'ab", " 12", "12 ", "+5", "-0x10", "0x"],
            1,
            "31|\n8|\n0|\n97|\n233|\n0|\n97|\n12|\n12|\n5|\n-16|\n0|\n",
            "printf: 09: invalid octal number\nprintf: 12 : invalid number\nprintf: 0x: invalid hex number\n",
        ),
        (["%z|\\n", "1"], 1, "", "printf: `|': invalid format character\n"),
        (["abc%y", "1"], 1, "abc", "printf: `y': invalid format character\n"),
        (["abc%", "1"], 1, "abc", "printf: `%': missing format character\n"),
        (["%5"], 1, "", "printf: `%5': missing format character\n"),
        (
            [
                "%-5d|%05d|%+d|% d|%.3d|%8.3d|%-8.3d|%#x|%#o|%08.3d|%x|%X\\n",
                "1",
                "2",
                "3",
                "4",
                "5",
                "6",
                "7",
                "8",
                "9",
                "10",
                "-1",
                "255",
            ],
            0,
            "1    |00002|+3| 4|005|     006|007     |0x8|011|     010|ffffffffffffffff|FF\n",
            "",
        ),
        (
            ["%*d|%-*d|%.*f|%*s|\\n", "5", "1", "5", "2", "2", "3.14159", "-6", "ab"],
            0,
            "    1|2    |3.14|ab    |\n",
            "",
        ),
        (["%*d|\\n", "x", "5"], 1, "5|\n", "printf: x: invalid number\n"),
        (["%s\\n", "a", "b", "c"], 0, "a\nb\nc\n", ""),
        (["%s %s\\n", "a", "b", "c"], 0, "a b\nc \n", ""),
        (["%d %s|\\n"], 0, "0 |\n", ""),
        (["x\\n", "a", "b"], 0, "x\n", ""),
        (["%c|%5c|%-5c|\\n", "abc", "é", ""], 0, "a|    \udcc3|\x00    |\n", ""),
        (["%.2s|%5.1s|\\n", "abc", "é"], 0, "ab|    \udcc3|\n", ""),
        (["%b|%b|", "a\\tb\\0101\\101\\x41\\u00e9\\c no", "x"], 0, "a\tbAAAé", ""),
        (
            ["%b|%10b|%.2b\\n", "a\\\"b\\'c\\?d\\q", "a\\n", "abc"],
            0,
            "a\\\"b\\'c\\?d\\q|        a\n|ab\n",
            "",
        ),
        (
            ["a\\cb|\\\"\\'\\?\\q\\0101\\1011\\xg\\u|\\e\\E\\n"],
            0,
            "a\\cb|\"'?\\q\x081A1\\xg\\u|\x1b\x1b\n",
            "printf: missing hex digit for \\x\nprintf: missing unicode digit for \\u\n",
        ),
        (["%q|%q|%q|%q|%q\\n", "a b", "", "a'b", "a\nb", "~x"], 0, "a\\ b|''|a\\'b|$'a\\nb'|\\~x\n", ""),
        (
            ["%Q|%.3Q|%10q|%-10q|\\n", "a b", "a bcd", "a b", "c d"],
            0,
            "a\\ b|a\\ b|      a\\ b|c\\ d      |\n",
            "",
        ),
        (
            [
                "%f|%.0f|%e|%g|%G|%a|%A|%.3a\\n",
                "1.5",
                "2.5",
                "12345.678",
                "1e-10",
                "1e20",
                "1",
                "255.5",
                "3.14159",
            ],
            0,
            "1.500000|2|1.234568e+04|1e-10|1E+20|0x8p-3|0XF.F8P+4|0xc.910p-2\n",
            "",
        ),
        (
            ["%f|%f|%F|%e|%g|%5.1f|%05.1f\\n", "inf", "-nan", "INF", "nan", "infinity", "-inf", "inf"],
            0,
            "inf|-nan|INF|nan|inf| -inf|  inf\n",
            "",
        ),
        (
            ["%f|\\n", "1x", "abc", "", "0x1p3", "0x1.8", "1e", "1e400", "1e5000", "'a"],
            1,
            "1.000000|\n0.000000|\n0.000000|\n8.000000|\n1.500000|\n1.000000|\n10000000000000000000281880683947586514586453433629052038625910693539685534008629862039363994848324160522094053927317616200295822777259255734023828976593340661017797447434546173917862448116674971723778943824391593338047470675026246684401359237513603830343735485505244955964979021825038280091068414947402456898653040951017512658092615827588920183472511643316591362664138176309734806343732497430221946880.000000|\ninf|\n97.000000|\n",
            "printf: 1x: invalid number\nprintf: abc: invalid number\nprintf: 1e: invalid number\nprintf: warning: 1e5000: Numerical result out of range\n",
        ),
        (
            ["%.20f|%.30e|%.17g\\n", "0.1", "0.1", "0.1"],
            0,
            "0.10000000000000000000|1.000000000000000000013552527156e-01|0.1\n",
            "",
        ),
        (["%i %o %x\\n", "12", "12", "-12"], 0, "12 14 fffffffffffffff4\n", ""),
        (
            ["%ld %lld %hd %jd %zd %td %Lf %hhd\\n", "1", "2", "70000", "4", "5", "6", "7", "300"],
            0,
            "1 2 70000 4 5 6 7.000000 300\n",
            "",
        ),
        (["--", "%s|%%|%5%|\\n", "a"], 1, "a|%|", "printf: `%': invalid format character\n"),
        ([], 2, "", "printf: usage: printf [-v var] format [arguments]\n"),
        (["-x"], 2, "", "printf: -x: invalid option\nprintf: usage: printf [-v var] format [arguments]\n"),
        (["--"], 2, "", "printf: usage: printf [-v var] format [arguments]\n"),
        (
            ["%(%Y)T|%(%H:%M:%S)T|%(abc)T|%()T\\n", "0", "3600", "1", "1"],
            0,
            "1970|01:00:00|abc|00:00:01\n",
            "",
        ),
        (
            ["%(%Y)d\\n", "3"],
            1,
            "%(",
            "printf: warning: `d': invalid time format specification\nprintf: `Y': invalid format character\n",
        ),
        (["20\n%(%F)T\\n", "x"], 1, "20\n1970-01-01\n", "printf: x: invalid number\n"),
        (["%'d|%'.2f\\n", "1234567", "12345.678"], 0, "1234567|12345.68\n", ""),
        (["%1$s", "a"], 1, "", "printf: `$': invalid format character\n"),
        (["%s", "a\\nb"], 0, "a\\nb", ""),
        (["\\n%5s|%-5s|%05s|%+s\\n", "é", "é", "é", "a"], 0, "\n   é|é   |   é|a\n", ""),
        (
            ["s=0\n%d %d\\n", "1", "x", "2", "y"],
            1,
            "s=0\n1 0\ns=0\n2 0\n",
            "printf: x: invalid number\nprintf: y: invalid number\n",
        ),
        (
            [
                "0000000   %   s   \\   0   %   s  \\0   a  \\0   b  \\0  \\0 001\n0000015\n%#g|%#.0f|%#e|%+f|% f|%-10.2f|%010.2f\\n",
                "1",
                "2",
                "3",
                "4",
                "5",
                "6",
                "-7",
            ],
            0,
            "0000000   1   \\   0   2  \x00   a  \x00   b  \x00  \x00 001\n0000015\n3.00000|4.|5.000000e+00|+6.000000|-7.000000|0.00      |0000000.00\n",
            "",
        ),
        (["%ls|%lc\\n", "abc", "x"], 0, "abc|x\n", ""),
        (["%-+ #0s|\\n", "a"], 0, "a|\n", ""),
        (["%0-5d|%- 5d|%+ d|%#X|%#b|\\n", "3", "4", "5", "255", "a"], 0, "3    | 4   |+5|0XFF|a|\n", ""),
        (
            ["%hx %hhx %lx\\n", "-1", "-1", "-1"],
            0,
            "ffffffffffffffff ffffffffffffffff ffffffffffffffff\n",
            "",
        ),
        (["%.d|%.f|%.s|%5.d|\\n", "3", "2.7", "abc", "0"], 0, "3|3||     |\n", ""),
        (["%.*d|%.*s|\\n", "-3", "5", "-1", "abc"], 0, "5|abc|\n", ""),
    ],
)
def test_the_shells_own_is_as_bash(arguments, status, stdout, stderr):
    assert in_shell(shlex.join(["printf", *arguments])) == (status, stdout, stderr)


def in_shell(command, env=None):
    result = Shell(env=env or {}).run(command)
    return result.exit_status, result.stdout, re.sub("bash: line [0-9]+: ", "", result.stderr)


@pytest.mark.parametrize(
    ("arguments", "status", "stdout", "stderr"),
    [
        (["%d|\\n", "3x"], 1, "3|\n", "printf: '3x': value not completely converted\n"),
        (["%d|%f|\\n", "x", "1.5y"], 1, "0|1.500000|\n",
         "printf: 'x': expected a numeric value\nprintf: '1.5y': value not completely converted\n"),
        (["%d\\n", "99999999999999999999"], 1, "9223372036854775807\n",
         "printf: '99999999999999999999': Numerical result out of range\n"),
        (["%d %d\\n", "'a", "'ab"], 0, "97 97\n",
         "printf: warning: b: character(s) following character constant have been ignored\n"),
        (["a\\cb", "x"], 0, "a", ""),
        (["%s\\\\c%s\\c%s", "1", "2", "3"], 0, "1\\c2", ""),
        (["%d\\c", "x"], 0, "0", "printf: 'x': expected a numeric value\n"),
        (["%d%b", "x", "\\c"], 0, "0", "printf: 'x': expected a numeric value\n"),
        (["%.-1s", "x"], 1, "", "printf: %.-: invalid conversion specification\n"),
        (["%b|", "a\\cb", "x"], 0, "a", ""),
        (["x\\n", "1", "2"], 0, "x\n", "printf: warning: ignoring excess arguments, starting with '1'\n"),
        (["ab%yc"], 1, "ab", "printf: %y: invalid conversion specification\n"),
        (["%05s"], 1, "", "printf: %05s: invalid conversion specification\n"),
        (["%.1c", "a"], 1, "", "printf: %.1c: invalid conversion specification\n"),
        (["%"], 1, "", "printf: %: invalid conversion specification\n"),
        (["%(%F)T", "0"], 1, "", "printf: %(: invalid conversion specification\n"),
        (["%q %q\\n", "a b", "plain"], 0, "'a b' plain\n", ""),
        (["--", "-v %s\\n", "x"], 0, "-v x\n", ""),
        (["-v"], 0, "-v", ""),
        ([], 1, "", "printf: missing operand\nTry 'printf --help' for more information.\n"),
    ],
)  # fmt: skip
def test_the_utility_is_as_gnus(utility, arguments, status, stdout, stderr):
    assert utility("printf", *arguments) == (status, stdout, stderr)


def test_an_argument_cannot_ask_for_more_than_the_run_holds(sandbox):
    for arguments in (["%999999999d", "1"], ["%.999999999f", "1"], ["%*s", "2147483647", "x"]):
        with pytest.raises(LimitExceeded, match="memory_bytes"):
            sandbox.run("printf", *arguments)


def test_the_sum_of_many_fields_is_counted(sandbox):
    with pytest.raises(LimitExceeded, match="memory_bytes"):
        sandbox.run("printf", "%9000000s", *"abcdefghijkl")
    assert len(sandbox.run("printf", "%9000000s", "a")[1]) == 9_000_000


def test_time_follows_the_scripts_zone():
    assert in_shell(r"printf '%(%F %T %Z)T\n' 0", {"TZ": "XYZ-2"}) == (
        0,
        "1970-01-01 02:00:00 XYZ\n",
        "",
    )


def test_n_assigns_through_the_caller_only():
    assigned = {}
    caller = Caller(
        error=pytest.fail,
        warning=pytest.fail,
        now=lambda: 0.0,
        environment={},
        check_fits=lambda size: None,
        assign=assigned.__setitem__,
    )
    data = format_printf("abc%n-%n", ["x", "y"], caller)
    assert (data, assigned) == ((b"abc-", False), {"x": "3", "y": "4"})
