"""The texts of ``help`` for the topics from ``eval`` to ``popd``.

Source: bash 5.2, Copyright (C) 2022 Free Software Foundation, Inc., GPL version 3 or later.
"""

from __future__ import annotations

TEXTS: dict[str, str] = {
    "eval": """\
Execute arguments as a shell command.

Combine ARGs into a single string, use the result as input to the shell,
and execute the resulting commands.

Exit Status:
Returns exit status of command or success if command is null.""",
    "exec": """\
Replace the shell with the given command.

Execute COMMAND, replacing this shell with the specified program.
ARGUMENTS become the arguments to COMMAND.  If COMMAND is not specified,
any redirections take effect in the current shell.

Options:
  -a name\tpass NAME as the zeroth argument to COMMAND
  -c\texecute COMMAND with an empty environment
  -l\tplace a dash in the zeroth argument to COMMAND

If the command cannot be executed, a non-interactive shell exits, unless
the shell option `execfail' is set.

Exit Status:
Returns success unless COMMAND is not found or a redirection error occurs.""",
    "exit": """\
Exit the shell.

Exits the shell with a status of N.  If N is omitted, the exit status
is that of the last command executed.""",
    "export": """\
Set export attribute for shell variables.

Marks each NAME for automatic export to the environment of subsequently
executed commands.  If VALUE is supplied, assign VALUE before exporting.

Options:
  -f\trefer to shell functions
  -n\tremove the export property from each NAME
  -p\tdisplay a list of all exported variables and functions

An argument of `--' disables further option processing.

Exit Status:
Returns success unless an invalid option is given or NAME is invalid.""",
    "false": """\
Return an unsuccessful result.

Exit Status:
Always fails.""",
    "fc": """\
Display or execute commands from the history list.

fc is used to list or edit and re-execute commands from the history list.
FIRST and LAST can be numbers specifying the range, or FIRST can be a
string, which means the most recent command beginning with that
string.

Options:
  -e ENAME\tselect which editor to use.  Default is FCEDIT, then EDITOR,
\t\tthen vi
  -l \tlist lines instead of editing
  -n\tomit line numbers when listing
  -r\treverse the order of the lines (newest listed first)

With the `fc -s [pat=rep ...] [command]' format, COMMAND is
re-executed after the substitution OLD=NEW is performed.

A useful alias to use with this is r='fc -s', so that typing `r cc'
runs the last command beginning with `cc' and typing `r' re-executes
the last command.

Exit Status:
Returns success or status of executed command; non-zero if an error occurs.""",
    "fg": """\
Move job to the foreground.

Place the job identified by JOB_SPEC in the foreground, making it the
current job.  If JOB_SPEC is not present, the shell's notion of the
current job is used.

Exit Status:
Status of command placed in foreground, or failure if an error occurs.""",
    "for": """\
Execute commands for each member in a list.

The `for' loop executes a sequence of commands for each member in a
list of items.  If `in WORDS ...;' is not present, then `in "$@"' is
assumed.  For each element in WORDS, NAME is set to that element, and
the COMMANDS are executed.

Exit Status:
Returns the status of the last command executed.""",
    "for ((": """\
Arithmetic for loop.

Equivalent to
\t(( EXP1 ))
\twhile (( EXP2 )); do
\t\tCOMMANDS
\t\t(( EXP3 ))
\tdone
EXP1, EXP2, and EXP3 are arithmetic expressions.  If any expression is
omitted, it behaves as if it evaluates to 1.

Exit Status:
Returns the status of the last command executed.""",
    "function": """\
Define shell function.

Create a shell function named NAME.  When invoked as a simple command,
NAME runs COMMANDs in the calling shell's context.  When NAME is invoked,
the arguments are passed to the function as $1...$n, and the function's
name is in $FUNCNAME.

Exit Status:
Returns success unless NAME is readonly.""",
    "getopts": """\
Parse option arguments.

Getopts is used by shell procedures to parse positional parameters
as options.

OPTSTRING contains the option letters to be recognized; if a letter
is followed by a colon, the option is expected to have an argument,
which should be separated from it by white space.

Each time it is invoked, getopts will place the next option in the
shell variable $name, initializing name if it does not exist, and
the index of the next argument to be processed into the shell
variable OPTIND.  OPTIND is initialized to 1 each time the shell or
a shell script is invoked.  When an option requires an argument,
getopts places that argument into the shell variable OPTARG.

getopts reports errors in one of two ways.  If the first character
of OPTSTRING is a colon, getopts uses silent error reporting.  In
this mode, no error messages are printed.  If an invalid option is
seen, getopts places the option character found into OPTARG.  If a
required argument is not found, getopts places a ':' into NAME and
sets OPTARG to the option character found.  If getopts is not in
silent mode, and an invalid option is seen, getopts places '?' into
NAME and unsets OPTARG.  If a required argument is not found, a '?'
is placed in NAME, OPTARG is unset, and a diagnostic message is
printed.

If the shell variable OPTERR has the value 0, getopts disables the
printing of error messages, even if the first character of
OPTSTRING is not a colon.  OPTERR has the value 1 by default.

Getopts normally parses the positional parameters, but if arguments
are supplied as ARG values, they are parsed instead.

Exit Status:
Returns success if an option is found; fails if the end of options is
encountered or an error occurs.""",
    "hash": """\
Remember or display program locations.

Determine and remember the full pathname of each command NAME.  If
no arguments are given, information about remembered commands is displayed.

Options:
  -d\tforget the remembered location of each NAME
  -l\tdisplay in a format that may be reused as input
  -p pathname\tuse PATHNAME as the full pathname of NAME
  -r\tforget all remembered locations
  -t\tprint the remembered location of each NAME, preceding
\t\teach location with the corresponding NAME if multiple
\t\tNAMEs are given
Arguments:
  NAME\tEach NAME is searched for in $PATH and added to the list
\t\tof remembered commands.

Exit Status:
Returns success unless NAME is not found or an invalid option is given.""",
    "help": """\
Display information about builtin commands.

Displays brief summaries of builtin commands.  If PATTERN is
specified, gives detailed help on all commands matching PATTERN,
otherwise the list of help topics is printed.

Options:
  -d\toutput short description for each topic
  -m\tdisplay usage in pseudo-manpage format
  -s\toutput only a short usage synopsis for each topic matching
\t\tPATTERN

Arguments:
  PATTERN\tPattern specifying a help topic

Exit Status:
Returns success unless PATTERN is not found or an invalid option is given.""",
    "history": """\
Display or manipulate the history list.

Display the history list with line numbers, prefixing each modified
entry with a `*'.  An argument of N lists only the last N entries.

Options:
  -c\tclear the history list by deleting all of the entries
  -d offset\tdelete the history entry at position OFFSET. Negative
\t\toffsets count back from the end of the history list

  -a\tappend history lines from this session to the history file
  -n\tread all history lines not already read from the history file
\t\tand append them to the history list
  -r\tread the history file and append the contents to the history
\t\tlist
  -w\twrite the current history to the history file

  -p\tperform history expansion on each ARG and display the result
\t\twithout storing it in the history list
  -s\tappend the ARGs to the history list as a single entry

If FILENAME is given, it is used as the history file.  Otherwise,
if HISTFILE has a value, that is used, else ~/.bash_history.

If the HISTTIMEFORMAT variable is set and not null, its value is used
as a format string for strftime(3) to print the time stamp associated
with each displayed history entry.  No time stamps are printed otherwise.

Exit Status:
Returns success unless an invalid option is given or an error occurs.""",
    "if": """\
Execute commands based on conditional.

The `if COMMANDS' list is executed.  If its exit status is zero, then the
`then COMMANDS' list is executed.  Otherwise, each `elif COMMANDS' list is
executed in turn, and if its exit status is zero, the corresponding
`then COMMANDS' list is executed and the if command completes.  Otherwise,
the `else COMMANDS' list is executed, if present.  The exit status of the
entire construct is the exit status of the last command executed, or zero
if no condition tested true.

Exit Status:
Returns the status of the last command executed.""",
    "jobs": """\
Display status of jobs.

Lists the active jobs.  JOBSPEC restricts output to that job.
Without options, the status of all active jobs is displayed.

Options:
  -l\tlists process IDs in addition to the normal information
  -n\tlists only processes that have changed status since the last
\t\tnotification
  -p\tlists process IDs only
  -r\trestrict output to running jobs
  -s\trestrict output to stopped jobs

If -x is supplied, COMMAND is run after all job specifications that
appear in ARGS have been replaced with the process ID of that job's
process group leader.

Exit Status:
Returns success unless an invalid option is given or an error occurs.
If -x is used, returns the exit status of COMMAND.""",
    "kill": """\
Send a signal to a job.

Send the processes identified by PID or JOBSPEC the signal named by
SIGSPEC or SIGNUM.  If neither SIGSPEC nor SIGNUM is present, then
SIGTERM is assumed.

Options:
  -s sig\tSIG is a signal name
  -n sig\tSIG is a signal number
  -l\tlist the signal names; if arguments follow `-l' they are
\t\tassumed to be signal numbers for which names should be listed
  -L\tsynonym for -l

Kill is a shell builtin for two reasons: it allows job IDs to be used
instead of process IDs, and allows processes to be killed if the limit
on processes that you can create is reached.

Exit Status:
Returns success unless an invalid option is given or an error occurs.""",
    "let": """\
Evaluate arithmetic expressions.

Evaluate each ARG as an arithmetic expression.  Evaluation is done in
fixed-width integers with no check for overflow, though division by 0
is trapped and flagged as an error.  The following list of operators is
grouped into levels of equal-precedence operators.  The levels are listed
in order of decreasing precedence.

\tid++, id--\tvariable post-increment, post-decrement
\t++id, --id\tvariable pre-increment, pre-decrement
\t-, +\t\tunary minus, plus
\t!, ~\t\tlogical and bitwise negation
\t**\t\texponentiation
\t*, /, %\t\tmultiplication, division, remainder
\t+, -\t\taddition, subtraction
\t<<, >>\t\tleft and right bitwise shifts
\t<=, >=, <, >\tcomparison
\t==, !=\t\tequality, inequality
\t&\t\tbitwise AND
\t^\t\tbitwise XOR
\t|\t\tbitwise OR
\t&&\t\tlogical AND
\t||\t\tlogical OR
\texpr ? expr : expr
\t\t\tconditional operator
\t=, *=, /=, %=,
\t+=, -=, <<=, >>=,
\t&=, ^=, |=\tassignment

Shell variables are allowed as operands.  The name of the variable
is replaced by its value (coerced to a fixed-width integer) within
an expression.  The variable need not have its integer attribute
turned on to be used in an expression.

Operators are evaluated in order of precedence.  Sub-expressions in
parentheses are evaluated first and may override the precedence
rules above.

Exit Status:
If the last ARG evaluates to 0, let returns 1; let returns 0 otherwise.""",
    "local": """\
Define local variables.

Create a local variable called NAME, and give it VALUE.  OPTION can
be any option accepted by `declare'.

Local variables can only be used within a function; they are visible
only to the function where they are defined and its children.

Exit Status:
Returns success unless an invalid option is supplied, a variable
assignment error occurs, or the shell is not executing a function.""",
    "logout": """\
Exit a login shell.

Exits a login shell with exit status N.  Returns an error if not executed
in a login shell.""",
    "mapfile": """\
Read lines from the standard input into an indexed array variable.

Read lines from the standard input into the indexed array variable ARRAY, or
from file descriptor FD if the -u option is supplied.  The variable MAPFILE
is the default ARRAY.

Options:
  -d delim\tUse DELIM to terminate lines, instead of newline
  -n count\tCopy at most COUNT lines.  If COUNT is 0, all lines are copied
  -O origin\tBegin assigning to ARRAY at index ORIGIN.  The default index is 0
  -s count\tDiscard the first COUNT lines read
  -t\tRemove a trailing DELIM from each line read (default newline)
  -u fd\tRead lines from file descriptor FD instead of the standard input
  -C callback\tEvaluate CALLBACK each time QUANTUM lines are read
  -c quantum\tSpecify the number of lines read between each call to
\t\t\tCALLBACK

Arguments:
  ARRAY\tArray variable name to use for file data

If -C is supplied without -c, the default quantum is 5000.  When
CALLBACK is evaluated, it is supplied the index of the next array
element to be assigned and the line to be assigned to that element
as additional arguments.

If not supplied with an explicit origin, mapfile will clear ARRAY before
assigning to it.

Exit Status:
Returns success unless an invalid option is given or ARRAY is readonly or
not an indexed array.""",
    "popd": """\
Remove directories from stack.

Removes entries from the directory stack.  With no arguments, removes
the top directory from the stack, and changes to the new top directory.

Options:
  -n\tSuppresses the normal change of directory when removing
\t\tdirectories from the stack, so only the stack is manipulated.

Arguments:
  +N\tRemoves the Nth entry counting from the left of the list
\t\tshown by `dirs', starting with zero.  For example: `popd +0'
\t\tremoves the first directory, `popd +1' the second.

  -N\tRemoves the Nth entry counting from the right of the list
\t\tshown by `dirs', starting with zero.  For example: `popd -0'
\t\tremoves the last directory, `popd -1' the next to last.

The `dirs' builtin displays the directory stack.

Exit Status:
Returns success unless an invalid argument is supplied or the directory
change fails.""",
}
