"""What a command is made with: options, operands, the Context it runs in, and the function that runs it.

A utility is a module with a docstring, an ``Options`` class (``@option_set``) whose fields are made by
``opt``, and ``run(options, operands, ctx) -> int``. ``Options`` is said once and gives the
parser, the types, ``--help`` and the docs page. Optional module attributes:

    USAGE_STATUS: int = 1       exit status of a usage error and of a file that fails (GNU: 2 for grep, sort, ls)
    PERMUTE: bool = True        options may follow operands (GNU); False stops at the first operand
    NUMERIC: str | None         name of the field that a bare ``-5`` sets (fold), read as the option of that field is
    DIGITS: str | None          name of the field that digits among short options set (grep)
    OPTION_STATUS: int          exit status of an option that is not known, if it is another one (64 with ARGP)
    ARGP: bool = False          "Try ..." also points to --usage, as programs of glibc's argp do (cpio, iconv)
    USAGE: str                  a line before "Try 'NAME --help' ..." after a usage error (grep, sed)
    NEGATIVE: bool = False      "-5" and "-.5" are operands (seq)
    NAMED_HINT: bool = False    "Try ..." is preceded by the name, as diffutils do
    RAW: bool = False           no option parsing at all: every argument is an operand (echo, test, true)
    WRITE_ERROR: str            what is said when standard output cannot be written; "{}" is the reason
    WRITE_STATUS: int           the exit status then, if it is not USAGE_STATUS
    FIXED_NAMES: Container[str] programs of the module whose messages begin with the name they are registered under,
                                whatever argv[0] is (awk, jq, gzip); all others use argv[0]
"""
