"""Shared by all commands: options, operands, the Context they run in, and the function that runs them.

A utility is a module with a docstring, an ``Options`` class (``@option_set``) whose fields are made by
``opt``, and ``run(options, operands, ctx) -> int``. ``Options`` is declared once and defines the
parser, the types, ``--help`` and the docs page. Optional module attributes:

    USAGE_STATUS: int = 1       exit status of a usage error and of a file that fails (GNU: 2 for grep, sort, ls)
    PERMUTE: bool = True        options may follow operands (GNU); False stops at the first operand
    NUMERIC: str | None         name of the field that a bare ``-5`` sets (fold), read as the option of that field is
    DIGITS: str | None          name of the field that digits among short options set (grep)
    JOINS_DIGITS: bool          such digits continue those before: pr -3 -2 is pr -32
    LONG_LETTER: str | None     letter of an option whose argument is a long option (awk -W version)
    OPTION_STATUS: int          exit status of an unknown option, if it differs from USAGE_STATUS (64 with ARGP)
    ARGP: bool = False          "Try ..." also points to --usage, as programs of glibc's argp do (cpio, iconv)
    USAGE: str                  a line before "Try 'NAME --help' ..." after a usage error (grep, sed); NAME in it is the program
    BASE_NAME: bool = False     USAGE, "Try ..." and --help have the program's name without its directory (grep, awk)
    NEGATIVE: bool = False      "-5" and "-.5" are operands (seq)
    NAMED_HINT: bool = False    "Try ..." is preceded by the name, as diffutils do
    INFORMS: bool = True        False if --help and --version are ordinary words (echo)
    HELP_ON_ERROR: bool = False True if --help prints on standard error (run-parts)
    PROGRAMS: Mapping           the Options of programs that do not have those of the module (zcmp)
    SUBCOMMANDS: Mapping        the Options of subcommands (openssl); --help lists them all
    OPERAND_WORDS: Mapping      the words that operands may be, by a title for --help (stty)
    RAW: bool = False           no option parsing at all: every argument is an operand (echo, test, true)
    WRITE_ERROR: str            the message when standard output cannot be written; "{}" is the reason
    WRITE_STATUS: int           the exit status in this case, if it differs from USAGE_STATUS
    FIXED_NAMES: Mapping        what messages of programs of the module begin with, instead of argv[0]: a name (jq,
                                gzip), or "" for the last part of argv[0] (awk)
"""
