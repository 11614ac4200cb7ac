"""Modules: import, include, modulemeta and -L; recorded from jq 1.8.2."""

from __future__ import annotations

import pytest

FILES = {
    "lib/a.jq": 'module {"name":"a","version":1};\nimport "b" as b;\nimport "d" as $d;\ndef f: b::g + 1;\ndef h(x): x|f;\ndef data: $d::d;\ndef _x($v; g): $v;\n',
    "lib/b.jq": 'def g: 10; def map(f): "mine"; def priv: map(1);\n',
    "lib/d.json": '{"k":1} [2]\n',
    "lib/bad.jq": "def nope: foo;\n",
    "lib/syn.jq": "def syn: 1 +;\n",
    "lib/prog.jq": "1\n",
    "lib/pkg/jq/main.jq": 'def p: "pkgmain";\n',
    "lib/q/q.jq": 'def p: "q/q";\n',
    "lib/inc.jq": 'include "b"; def g2: g;\n',
    "lib/sub/s.jq": 'def s: "sub";\n',
    "lib/sub/z.jq": 'import "./s" as s; import "s" as t {search:"./"}; def z: s::s;\n',
    "lib/sub/z2.jq": 'import "s" as t {search:"./"}; def z: t::s;\n',
    "lib/cyc.jq": 'import "cyc" as c; def z: 1;\n',
    "lib/x1.jq": 'def f: "x1"; def only: 1;\n',
    "lib/x2.jq": 'def f: "x2"; def y: only;\n',
    "lib/badd.json": '{"a":\n',
    "lib/loc.jq": 'import "x1" as a; def w: {$__loc__}, $__loc__;\ndef v: $__loc__, input_filename, error("e");\n',
    "lib/ar.jq": "def aa: $q; def bb: $ENV|type; def cc: $ARGS.named, $__prog_args; def dd: $ARGS.named;\n",
    "lib/ov.jq": 'import "x1" as a;\nimport "x1" as b;def d(f): f+"!";def d: 1; def d(f;g): f+g;',
    "lib/u1.jq": "def f: g(1);\n",
    "dd/m.jq": 'import "./x" as x; x::f\n',
    "dd/m3.jq": 'import "x" as x {search:"./"}; x::f\n',
    "dd/x.jq": 'def f: "rel";\n',
}

#: Arguments, (status, output, messages); both ways to libjq give it.
BOTH = [
    (
        ["-L", "lib", "-nc", 'import "a" as foo; foo::f, foo::h(1), foo::data, foo::_x(3;4)'],
        (0, '11\n11\n[{"k":1},[2]]\n3\n', ""),
    ),
    (["-L", "lib", "-nc", 'import "d" as $d; $d, $d::d'], (0, '[{"k":1},[2]]\n[{"k":1},[2]]\n', "")),
    (["-L", "lib", "-nc", 'import "d" as $d {raw:true}; $d'], (0, '"{\\"k\\":1} [2]\\n"\n', "")),
    (["-L", "lib", "-nc", 'include "a"; f, h(2)'], (0, "11\n11\n", "")),
    (
        ["-L", "lib", "-nc", 'include "a"; b::g'],
        (
            3,
            "",
            'jq: error: b::g/0 is not defined at <top-level>, line 1, column 14:\n    include "a"; b::g\n                 ^^^^\njq: 1 compile error\n',
        ),
    ),
    (["-L", "lib", "-nc", 'include "b"; [1]|map(3)'], (0, '"mine"\n', "")),
    (
        ["-L", "lib", "-nc", 'include "inc"; g2, g'],
        (
            3,
            "",
            'jq: error: g/0 is not defined at <top-level>, line 1, column 20:\n    include "inc"; g2, g\n                       ^\njq: 1 compile error\n',
        ),
    ),
    (
        ["-L", "lib", "-nc", 'import "a" as foo; f'],
        (
            3,
            "",
            'jq: error: f/0 is not defined at <top-level>, line 1, column 20:\n    import "a" as foo; f\n                       ^\njq: 1 compile error\n',
        ),
    ),
    (
        ["-L", "lib", "-nc", 'import "a" as foo; foo::nosuch'],
        (
            3,
            "",
            'jq: error: foo::nosuch/0 is not defined at <top-level>, line 1, column 20:\n    import "a" as foo; foo::nosuch\n                       ^^^^^^^^^^^\njq: 1 compile error\n',
        ),
    ),
    (
        ["-L", "lib", "-nc", 'import "bad" as foo; foo::nope'],
        (
            3,
            "",
            "jq: error: foo/0 is not defined at /workspace/lib/bad.jq, line 1, column 11:\n    def nope: foo;\n              ^^^\njq: 1 compile error\n",
        ),
    ),
    (
        ["-L", "lib", "-nc", 'import "prog" as foo; 1'],
        (
            3,
            "",
            "jq: error: jq: error: library should only have function definitions, not a main expression\njq: 1 compile error\n",
        ),
    ),
    (["-L", "lib", "-nc", 'import "pkg" as foo; foo::p'], (0, '"pkgmain"\n', "")),
    (["-L", "lib", "-nc", 'import "q" as foo; foo::p'], (0, '"q/q"\n', "")),
    (["-L", "lib", "-nc", 'import "sub/s" as foo; foo::s'], (0, '"sub"\n', "")),
    (
        ["-L", "lib", "-nc", 'import "sub/z" as foo; foo::z'],
        (3, "", "jq: error: module not found: ./s\n\njq: 1 compile error\n"),
    ),
    (["-L", "lib", "-nc", 'import "sub/z2" as foo; foo::z'], (0, '"sub"\n', "")),
    (
        ["-L", "lib", "-nc", 'import "cyc" as foo; foo::z'],
        (3, "", "jq: error: circular import of /workspace/lib/cyc.jq\n\njq: 1 compile error\n"),
    ),
    (
        ["-L", "lib", "-nc", 'import "a/a" as foo; foo::z'],
        (
            3,
            "",
            "jq: error: module names must not have equal consecutive components: a/a\n\njq: 1 compile error\n",
        ),
    ),
    (
        ["-L", "lib", "-nc", 'import "/a" as foo; foo::z'],
        (
            3,
            "",
            'jq: error: foo::z/0 is not defined at <top-level>, line 1, column 21:\n    import "/a" as foo; foo::z\n                        ^^^^^^\njq: 1 compile error\n',
        ),
    ),
    (["-L", "lib", "-nc", 'import "/a" as foo; foo::f'], (0, "11\n", "")),
    (
        ["-L", "lib", "-nc", 'import "a\\\\b" as foo; foo::z'],
        (
            3,
            "",
            "jq: error: Modules must be named by relative paths using '/', not '\\' (a\\b)\n\njq: 1 compile error\n",
        ),
    ),
    (
        ["-L", "lib", "-nc", 'import "a" as foo;'],
        (3, "", 'jq: error: Top-level program not given (try ".")\njq: 1 compile error\n'),
    ),
    (["-L", "lib", "-nc", 'module {a:1}; import "a" as foo; 1'], (0, "1\n", "")),
    (
        ["-L", "lib", "-nc", '"a"|modulemeta'],
        (
            0,
            '{"name":"a","version":1,"deps":[{"as":"b","is_data":false,"relpath":"b"},{"as":"d","is_data":true,"relpath":"d"}],"defs":["f/0","h/1","data/0","_x/2"]}\n',
            "",
        ),
    ),
    (
        ["-L", "lib", "-nc", '"sub/z"|modulemeta'],
        (
            0,
            '{"deps":[{"as":"s","is_data":false,"relpath":"./s"},{"search":"./","as":"t","is_data":false,"relpath":"s"}],"defs":["z/0"]}\n',
            "",
        ),
    ),
    (
        ["-L", "lib", "-nc", '"b","pkg"|modulemeta'],
        (0, '{"deps":[],"defs":["g/0","map/1","priv/0"]}\n{"deps":[],"defs":["p/0"]}\n', ""),
    ),
    (["-L", "lib", "-nc", "get_search_list"], (0, '["/workspace/lib"]\n', "")),
    (
        ["-L", "lib", "-L", "x", "-L", "/abs", "-L", "~/y", "-nc", "get_search_list"],
        (0, '["/workspace/lib","x","/abs","~/y"]\n', ""),
    ),
    (["-nc", "get_search_list"], (0, '["~/.jq","$ORIGIN/../lib/jq","$ORIGIN/../lib"]\n', "")),
    (["-nc", 'import "b" as b {search:"./lib"}; b::g'], (0, "10\n", "")),
    (["-nc", 'import "b" as b {search:["./nolib","./lib"]}; b::g'], (0, "10\n", "")),
    (["-nc", 'import "zz" as b {optional:true}; 1'], (0, "1\n", "")),
    (["-L", "lib", "-nc", 'import "b" as b; import "b" as c; b::g, c::g'], (0, "10\n10\n", "")),
    (["-L", "lib", "-nc", 'import "b" as b; def b::g: 5; b::g'], (0, "5\n", "")),
    (["-L", "lib", "-nc", 'import "b" as b; $__loc__'], (0, '{"file":"<top-level>","line":1}\n', "")),
    (
        ["-L", "lib", "-nc", 'import "bad" as x; 1 +'],
        (
            3,
            "",
            'jq: error: syntax error, unexpected end of file at <top-level>, line 1, column 22:\n    import "bad" as x; 1 +\n                         ^\njq: 1 compile error\n',
        ),
    ),
    (["-L", "lib", "-nc", "--arg", "v", "3", 'import "d" as $v; $v'], (0, '[{"k":1},[2]]\n', "")),
    (["-L", "lib", "-nc", 'import "d" as $ENV; $ENV|type'], (0, '"array"\n', "")),
    (
        ["-L", "lib", "-nc", 'import "zz" as b; \n 1'],
        (3, "", "jq: error: module not found: zz\n\njq: 1 compile error\n"),
    ),
    (
        ["-L", "lib", "-nc", 'import "a" as foo; import "bad" as b; import "zz" as z; 1'],
        (3, "", "jq: error: module not found: zz\n\njq: 1 compile error\n"),
    ),
    (["-L", "lib", "-n", 'include "x1"; include "x2"; f'], (0, '"x2"\n', "")),
    (["-L", "lib", "-n", 'import "x2" as a; import "x1" as a; a::f'], (0, '"x1"\n', "")),
    (
        ["-L", "lib", "-n", 'include "x1"; include "x2"; y'],
        (
            3,
            "",
            'jq: error: only/0 is not defined at /workspace/lib/x2.jq, line 1, column 21:\n    def f: "x2"; def y: only;\n                        ^^^^\njq: 1 compile error\n',
        ),
    ),
    (["-L", "lib", "-n", 'include "x1"; def only: 2; only'], (0, "2\n", "")),
    (["-Llib", "-n", 'include "x1"; f'], (0, '"x1"\n', "")),
    (["-nL", "lib", 'include "x1"; f'], (0, '"x1"\n', "")),
    (["-nLlib", 'include "x1"; f'], (0, '"x1"\n', "")),
    (["--library-path", "lib", "-n", 'include "x1"; f'], (0, '"x1"\n', "")),
    (
        ["--library-path=lib", "-n", 'include "x1"; f'],
        (
            2,
            "",
            "jq: Unknown option --library-path=lib\nUse jq --help for help with command-line options,\nor see the jq manpage, or online docs at https://jqlang.org\n",
        ),
    ),
    (
        ["-L=lib", "-n", 'include "x1"; f'],
        (3, "", "jq: error: module not found: x1\n\njq: 1 compile error\n"),
    ),
    (
        ["-L"],
        (
            2,
            "",
            "-L takes a parameter: (e.g. -L /search/path or -L/search/path)\nUse jq --help for help with command-line options,\nor see the jq manpage, or online docs at https://jqlang.org\n",
        ),
    ),
    (
        ["--library-path"],
        (
            2,
            "",
            "-L takes a parameter: (e.g. -L /search/path or -L/search/path)\nUse jq --help for help with command-line options,\nor see the jq manpage, or online docs at https://jqlang.org\n",
        ),
    ),
    (
        ["-L", "nolib", "-n", 'include "x1"; f'],
        (3, "", "jq: error: module not found: x1\n\njq: 1 compile error\n"),
    ),
    (
        ["-L", "lib", "-n", 'import "badd" as $d; $d'],
        (
            3,
            "",
            "jq: error loading data file /workspace/lib/badd.json: Unfinished JSON term at EOF at line 2, column 0\n\njq: 1 compile error\n",
        ),
    ),
    (
        ["-L", "lib", "-n", 'import "d" as $d; $d::x'],
        (
            3,
            "",
            'jq: error: $d::x is not defined at <top-level>, line 1, column 19:\n    import "d" as $d; $d::x\n                      ^^^^^\njq: 1 compile error\n',
        ),
    ),
    (
        ["-L", "lib", "-n", 'import "d" as $a::b; $a::b'],
        (0, '[\n  {\n    "k": 1\n  },\n  [\n    2\n  ]\n]\n', ""),
    ),
    (["-L", "lib", "-n", 'import "x1" as a::b; a::b::f'], (0, '"x1"\n', "")),
    (
        ["-L", "lib", "-n", 'import "x1" as a {search:1}; a::f'],
        (3, "", "jq: error: module not found: x1\n\njq: 1 compile error\n"),
    ),
    (
        ["-L", "lib", "-n", 'import "x1" as a {search:"./nolib"}; a::f'],
        (3, "", "jq: error: module not found: x1\n\njq: 1 compile error\n"),
    ),
    (
        ["-L", "lib", "-n", 'import "b" as a {search:{}}; a::g'],
        (3, "", "jq: error: module not found: b\n\njq: 1 compile error\n"),
    ),
    (
        ["-L", "lib", "-nc", 'import "loc" as a; a::w, a::v'],
        (
            5,
            '{"__loc__":{"file":"/workspace/lib/loc.jq","line":1}}\n{"file":"/workspace/lib/loc.jq","line":1}\n{"file":"/workspace/lib/loc.jq","line":2}\nnull\n',
            "jq: error (at <unknown>): e\n",
        ),
    ),
    (
        ["-L", "lib", "-nc", "--arg", "q", "1", 'import "ar" as a; a::aa,a::bb,a::dd'],
        (0, '"1"\n"object"\n{"q":"1"}\n', ""),
    ),
    (
        ["-L", "lib", "-nc", 'import "ar" as a; a::cc'],
        (
            3,
            "",
            "jq: error: $__prog_args is not defined at /workspace/lib/ar.jq, line 1, column 53:\n    def aa: $q; def bb: $ENV|type; def cc: $ARGS.named, $__prog_args; def dd: $ARGS.named;\n                                                        ^^^^^^^^^^^^\njq: 1 compile error\n",
        ),
    ),
    (
        ["-L", "lib", "-nc", 'import "ov" as a; a::d("x"), a::d, a::d(1;2), a::d(1;2;3)'],
        (
            3,
            "",
            'jq: error: a::d/3 is not defined at <top-level>, line 1, column 47:\n    import "ov" as a; a::d("x"), a::d, a::d(1;2), a::d(1;2;3)\n                                                  ^^^^\njq: 1 compile error\n',
        ),
    ),
    (["-L", "lib", "-nc", 'import "ov" as a; a::d("x"), a::d, a::d("1";"2")'], (0, '"x!"\n1\n"12"\n', "")),
    (
        ["-L", "lib", "-nc", '"ov"|modulemeta'],
        (
            0,
            '{"deps":[{"as":"a","is_data":false,"relpath":"x1"},{"as":"b","is_data":false,"relpath":"x1"}],"defs":["d/1","d/0","d/2"]}\n',
            "",
        ),
    ),
    (
        ["-L", "lib", "-nc", "{}|modulemeta"],
        (5, "", "jq: error (at <unknown>): modulemeta input module name must be a string\n"),
    ),
    (["-L", "lib", "-nc", 'import "x1" as a; "x"|a::f|test("x")'], (0, "true\n", "")),
    (
        ["-L", "lib", "-n", 'include "u1"; f'],
        (
            3,
            "",
            "jq: error: g/1 is not defined at /workspace/lib/u1.jq, line 1, column 8:\n    def f: g(1);\n           ^\njq: 1 compile error\n",
        ),
    ),
    (["-n", "def f: def g: nosuch; 1; f"], (0, "1\n", "")),
    (
        ["-L", "lib", "-n", 'import "x1" as a; [a::f'],
        (
            3,
            "",
            "jq: error: syntax error, unexpected end of file, expecting '|' or ',' or ']' at <top-level>, line 1, column 20:\n    import \"x1\" as a; [a::f\n                       ^^^^\njq: 1 compile error\n",
        ),
    ),
    (["-L", "lib", "-n", 'import "b" as b; b::priv'], (0, '"mine"\n', "")),
    (["-L", "lib", "-n", 'import "b" as b; def g: 1; [b::g,g]', "-c"], (0, "[10,1]\n", "")),
    (["-n", "-f", "dd/m2.jq"], (2, "", "jq: Could not open dd/m2.jq: No such file or directory\n")),
    (["-n", "-f", "dd/m3.jq"], (0, '"rel"\n', "")),
    (["-n", "-L", "dd", "-f", "dd/m.jq"], (0, '"rel"\n', "")),
    (["-n", '"import x"'], (0, '"import x"\n', "")),
    (["-n", "{import:1, include:2, module:3}", "-c"], (0, '{"import":1,"include":2,"module":3}\n', "")),
    (["-n", '{"import":1}|.import', "-c"], (0, "1\n", "")),
    (
        [
            "-L",
            "lib",
            "-n",
            'import "x1" as a; import "d" as $d; def f: a::f; [f, $d::d[0].k] | "\\(.[0]) \\(a::f)"',
        ],
        (0, '"x1 x1"\n', ""),
    ),
    (
        ["-L", "lib", "-n", 'import "x1" as a; 1, (\n a::zz)'],
        (
            3,
            "",
            "jq: error: a::zz/0 is not defined at <top-level>, line 2, column 2:\n     a::zz)\n     ^^^^^\njq: 1 compile error\n",
        ),
    ),
]

#: What only libjq's own functions know (L-JQ-002, L-JQ-013).
NATIVE = [
    (
        ["-L", "lib", "-nc", 'import "syn" as foo; 1'],
        (
            3,
            "",
            "jq: error: syntax error, unexpected ';' at /workspace/lib/syn.jq, line 1, column 13:\n    def syn: 1 +;\n                ^\njq: 1 compile error\n",
        ),
    ),
    (
        ["-L", "lib", "-nc", 'import "a" foo; 1'],
        (
            3,
            "",
            'jq: error: syntax error, unexpected IDENT, expecting as at <top-level>, line 1, column 12:\n    import "a" foo; 1\n               ^^^\njq: 1 compile error\n',
        ),
    ),
    (
        ["-L", "lib", "-nc", 'import "a" as foo 1; 1'],
        (
            3,
            "",
            'jq: error: Module metadata must be an object at <top-level>, line 1, column 19:\n    import "a" as foo 1; 1\n                      ^\njq: 1 compile error\n',
        ),
    ),
    (
        ["-L", "lib", "-nc", 'import "a" as foo [1]; 1'],
        (
            3,
            "",
            'jq: error: Module metadata must be an object at <top-level>, line 1, column 19:\n    import "a" as foo [1]; 1\n                      ^^^\njq: 1 compile error\n',
        ),
    ),
    (
        ["-L", "lib", "-nc", 'import "a\\(1)" as foo; 1'],
        (
            3,
            "",
            'jq: error: Import path must be constant at <top-level>, line 1, column 8:\n    import "a\\(1)" as foo; 1\n           ^^^^^^^\njq: 1 compile error\n',
        ),
    ),
    (
        ["-L", "lib", "-nc", "import a as foo; 1"],
        (
            3,
            "",
            "jq: error: syntax error, unexpected IDENT, expecting FORMAT or QQSTRING_START at <top-level>, line 1, column 8:\n    import a as foo; 1\n           ^\njq: 1 compile error\n",
        ),
    ),
    (
        ["-L", "lib", "-nc", 'import "a" as foo'],
        (
            3,
            "",
            'jq: error: syntax error, unexpected end of file at <top-level>, line 1, column 15:\n    import "a" as foo\n                  ^^^\njq: 1 compile error\n',
        ),
    ),
    (
        ["-L", "lib", "-nc", "module 1; 1"],
        (
            3,
            "",
            "jq: error: Module metadata must be an object at <top-level>, line 1, column 8:\n    module 1; 1\n           ^\njq: 1 compile error\n",
        ),
    ),
    (
        ["-L", "lib", "-nc", "module {a:.}; 1"],
        (
            3,
            "",
            "jq: error: Module metadata must be constant at <top-level>, line 1, column 8:\n    module {a:.}; 1\n           ^^^^^\njq: 1 compile error\n",
        ),
    ),
    (
        ["-L", "lib", "-nc", '1; import "b" as b; b::g'],
        (
            3,
            "",
            "jq: error: syntax error, unexpected ';', expecting end of file at <top-level>, line 1, column 2:\n    1; import \"b\" as b; b::g\n     ^\njq: 1 compile error\n",
        ),
    ),
    (
        ["-L", "lib", "-n", 'import "x1" as if; if::f'],
        (
            3,
            "",
            'jq: error: syntax error, unexpected if, expecting IDENT or BINDING at <top-level>, line 1, column 16:\n    import "x1" as if; if::f\n                   ^^\njq: 1 compile error\n',
        ),
    ),
]


@pytest.mark.parametrize(("argv", "expected"), BOTH)
def test_modules(way, utility, argv, expected):
    assert utility("jq", *argv, files=FILES, env={"HOME": "/workspace"}, same=False) == expected


@pytest.mark.parametrize(("argv", "expected"), NATIVE)
def test_modules_with_libjq_s_own_functions(native, utility, argv, expected):
    assert utility("jq", *argv, files=FILES, env={"HOME": "/workspace"}, same=False) == expected


def test_the_start_file_is_included(way, utility):
    files = {"h/.jq": 'def hh: "H"; def map(f): "M";', "e/.jq/zz.jq": 'def z: "Z";'}
    assert utility(
        "jq", "-nc", "hh, ([1] | map(1))", files=files, env={"HOME": "/workspace/h"}, same=False
    ) == (
        0,
        '"H"\n"M"\n',
        "",
    )
    program = 'import "zz" as z; z::z'
    assert utility("jq", "-n", program, files=files, env={"HOME": "/workspace/e"}, same=False) == (
        0,
        '"Z"\n',
        "",
    )


def test_modules_that_grow_when_they_are_written_out_have_a_limit(way, utility):
    files = {"m0.jq": "def f: 1; def g: 2;"}
    for level in range(1, 30):
        files[f"m{level}.jq"] = f'import "m{level - 1}" as m; def f: m::f + m::g; def g: m::f - m::g;'
    status, out, err = utility("jq", "-n", "-L", ".", 'import "m29" as m; m::f', files=files, same=False)
    assert (status, out) == (3, "")
    assert err == "jq: error: the program is too large with its modules (L-JQ-001)\njq: 1 compile error\n"
