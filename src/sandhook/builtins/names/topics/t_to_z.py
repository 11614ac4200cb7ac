"""The texts of ``help`` for the topics from ``trap`` to ``{ ... }``.

Source: bash 5.2, Copyright (C) 2022 Free Software Foundation, Inc., GPL version 3 or later.
"""

from __future__ import annotations

TEXTS: dict[str, str] = {
    "trap": """\
Trap signals and other events.

Defines and activates handlers to be run when the shell receives signals
or other conditions.

ARG is a command to be read and executed when the shell receives the
signal(s) SIGNAL_SPEC.  If ARG is absent (and a single SIGNAL_SPEC
is supplied) or `-', each specified signal is reset to its original
value.  If ARG is the null string each SIGNAL_SPEC is ignored by the
shell and by the commands it invokes.

If a SIGNAL_SPEC is EXIT (0) ARG is executed on exit from the shell.  If
a SIGNAL_SPEC is DEBUG, ARG is executed before every simple command.  If
a SIGNAL_SPEC is RETURN, ARG is executed each time a shell function or a
script run by the . or source builtins finishes executing.  A SIGNAL_SPEC
of ERR means to execute ARG each time a command's failure would cause the
shell to exit when the -e option is enabled.

If no arguments are supplied, trap prints the list of commands associated
with each signal.

Options:
  -l\tprint a list of signal names and their corresponding numbers
  -p\tdisplay the trap commands associated with each SIGNAL_SPEC

Each SIGNAL_SPEC is either a signal name in <signal.h> or a signal number.
Signal names are case insensitive and the SIG prefix is optional.  A
signal may be sent to the shell with "kill -signal $$".

Exit Status:
Returns success unless a SIGSPEC is invalid or an invalid option is given.""",
    "true": """\
Return a successful result.

Exit Status:
Always succeeds.""",
    "type": """\
Display information about command type.

For each NAME, indicate how it would be interpreted if used as a
command name.

Options:
  -a\tdisplay all locations containing an executable named NAME;
\t\tincludes aliases, builtins, and functions, if and only if
\t\tthe `-p' option is not also used
  -f\tsuppress shell function lookup
  -P\tforce a PATH search for each NAME, even if it is an alias,
\t\tbuiltin, or function, and returns the name of the disk file
\t\tthat would be executed
  -p\treturns either the name of the disk file that would be executed,
\t\tor nothing if `type -t NAME' would not return `file'
  -t\toutput a single word which is one of `alias', `keyword',
\t\t`function', `builtin', `file' or `', if NAME is an alias,
\t\tshell reserved word, shell function, shell builtin, disk file,
\t\tor not found, respectively

Arguments:
  NAME\tCommand name to be interpreted.

Exit Status:
Returns success if all of the NAMEs are found; fails if any are not found.""",
    "typeset": """\
Set variable values and attributes.

A synonym for `declare'.  See `help declare'.""",
    "ulimit": """\
Modify shell resource limits.

Provides control over the resources available to the shell and processes
it creates, on systems that allow such control.

Options:
  -S\tuse the `soft' resource limit
  -H\tuse the `hard' resource limit
  -a\tall current limits are reported
  -b\tthe socket buffer size
  -c\tthe maximum size of core files created
  -d\tthe maximum size of a process's data segment
  -e\tthe maximum scheduling priority (`nice')
  -f\tthe maximum size of files written by the shell and its children
  -i\tthe maximum number of pending signals
  -k\tthe maximum number of kqueues allocated for this process
  -l\tthe maximum size a process may lock into memory
  -m\tthe maximum resident set size
  -n\tthe maximum number of open file descriptors
  -p\tthe pipe buffer size
  -q\tthe maximum number of bytes in POSIX message queues
  -r\tthe maximum real-time scheduling priority
  -s\tthe maximum stack size
  -t\tthe maximum amount of cpu time in seconds
  -u\tthe maximum number of user processes
  -v\tthe size of virtual memory
  -x\tthe maximum number of file locks
  -P\tthe maximum number of pseudoterminals
  -R\tthe maximum time a real-time process can run before blocking
  -T\tthe maximum number of threads

Not all options are available on all platforms.

If LIMIT is given, it is the new value of the specified resource; the
special LIMIT values `soft', `hard', and `unlimited' stand for the
current soft limit, the current hard limit, and no limit, respectively.
Otherwise, the current value of the specified resource is printed.  If
no option is given, then -f is assumed.

Values are in 1024-byte increments, except for -t, which is in seconds,
-p, which is in increments of 512 bytes, and -u, which is an unscaled
number of processes.

Exit Status:
Returns success unless an invalid option is supplied or an error occurs.""",
    "umask": """\
Display or set file mode mask.

Sets the user file-creation mask to MODE.  If MODE is omitted, prints
the current value of the mask.

If MODE begins with a digit, it is interpreted as an octal number;
otherwise it is a symbolic mode string like that accepted by chmod(1).

Options:
  -p\tif MODE is omitted, output in a form that may be reused as input
  -S\tmakes the output symbolic; otherwise an octal number is output

Exit Status:
Returns success unless MODE is invalid or an invalid option is given.""",
    "unalias": """\
Remove each NAME from the list of defined aliases.

Options:
  -a\tremove all alias definitions

Return success unless a NAME is not an existing alias.""",
    "unset": """\
Unset values and attributes of shell variables and functions.

For each NAME, remove the corresponding variable or function.

Options:
  -f\ttreat each NAME as a shell function
  -v\ttreat each NAME as a shell variable
  -n\ttreat each NAME as a name reference and unset the variable itself
\t\trather than the variable it references

Without options, unset first tries to unset a variable, and if that fails,
tries to unset a function.

Some variables cannot be unset; also see `readonly'.

Exit Status:
Returns success unless an invalid option is given or a NAME is read-only.""",
    "until": """\
Execute commands as long as a test does not succeed.

Expand and execute COMMANDS-2 as long as the final command in COMMANDS has
an exit status which is not zero.

Exit Status:
Returns the status of the last command executed.""",
    "variables": """\
Common shell variable names and usage.

BASH_VERSION\tVersion information for this Bash.
CDPATH\tA colon-separated list of directories to search
\t\tfor directories given as arguments to `cd'.
GLOBIGNORE\tA colon-separated list of patterns describing filenames to
\t\tbe ignored by pathname expansion.
HISTFILE\tThe name of the file where your command history is stored.
HISTFILESIZE\tThe maximum number of lines this file can contain.
HISTSIZE\tThe maximum number of history lines that a running
\t\tshell can access.
HOME\tThe complete pathname to your login directory.
HOSTNAME\tThe name of the current host.
HOSTTYPE\tThe type of CPU this version of Bash is running under.
IGNOREEOF\tControls the action of the shell on receipt of an EOF
\t\tcharacter as the sole input.  If set, then the value
\t\tof it is the number of EOF characters that can be seen
\t\tin a row on an empty line before the shell will exit
\t\t(default 10).  When unset, EOF signifies the end of input.
MACHTYPE\tA string describing the current system Bash is running on.
MAILCHECK\tHow often, in seconds, Bash checks for new mail.
MAILPATH\tA colon-separated list of filenames which Bash checks
\t\tfor new mail.
OSTYPE\tThe version of Unix this version of Bash is running on.
PATH\tA colon-separated list of directories to search when
\t\tlooking for commands.
PROMPT_COMMAND\tA command to be executed before the printing of each
\t\tprimary prompt.
PS1\t\tThe primary prompt string.
PS2\t\tThe secondary prompt string.
PWD\t\tThe full pathname of the current directory.
SHELLOPTS\tA colon-separated list of enabled shell options.
TERM\tThe name of the current terminal type.
TIMEFORMAT\tThe output format for timing statistics displayed by the
\t\t`time' reserved word.
auto_resume\tNon-null means a command word appearing on a line by
\t\titself is first looked for in the list of currently
\t\tstopped jobs.  If found there, that job is foregrounded.
\t\tA value of `exact' means that the command word must
\t\texactly match a command in the list of stopped jobs.  A
\t\tvalue of `substring' means that the command word must
\t\tmatch a substring of the job.  Any other value means that
\t\tthe command must be a prefix of a stopped job.
histchars\tCharacters controlling history expansion and quick
\t\tsubstitution.  The first character is the history
\t\tsubstitution character, usually `!'.  The second is
\t\tthe `quick substitution' character, usually `^'.  The
\t\tthird is the `history comment' character, usually `#'.
HISTIGNORE\tA colon-separated list of patterns used to decide which
\t\tcommands should be saved on the history list.""",
    "wait": """\
Wait for job completion and return exit status.

Waits for each process identified by an ID, which may be a process ID or a
job specification, and reports its termination status.  If ID is not
given, waits for all currently active child processes, and the return
status is zero.  If ID is a job specification, waits for all processes
in that job's pipeline.

If the -n option is supplied, waits for a single job from the list of IDs,
or, if no IDs are supplied, for the next job to complete and returns its
exit status.

If the -p option is supplied, the process or job identifier of the job
for which the exit status is returned is assigned to the variable VAR
named by the option argument. The variable will be unset initially, before
any assignment. This is useful only when the -n option is supplied.

If the -f option is supplied, and job control is enabled, waits for the
specified ID to terminate, instead of waiting for it to change status.

Exit Status:
Returns the status of the last ID; fails if ID is invalid or an invalid
option is given, or if -n is supplied and the shell has no unwaited-for
children.""",
    "while": """\
Execute commands as long as a test succeeds.

Expand and execute COMMANDS-2 as long as the final command in COMMANDS has
an exit status of zero.

Exit Status:
Returns the status of the last command executed.""",
    "{ ... }": """\
Group commands as a unit.

Run a set of commands in a group.  This is one way to redirect an
entire set of commands.

Exit Status:
Returns the status of the last command executed.""",
}
