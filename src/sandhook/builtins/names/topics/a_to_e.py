"""The texts of ``help`` for the topics from ``%`` to ``enable``.

Source: bash 5.2, Copyright (C) 2022 Free Software Foundation, Inc., GPL version 3 or later.
"""

from __future__ import annotations

TEXTS: dict[str, str] = {
    "%": """\
Resume job in foreground.

Equivalent to the JOB_SPEC argument to the `fg' command.  Resume a
stopped or background job.  JOB_SPEC can specify either a job name
or a job number.  Following JOB_SPEC with a `&' places the job in
the background, as if the job specification had been supplied as an
argument to `bg'.

Exit Status:
Returns the status of the resumed job.""",
    "(( ... ))": """\
Evaluate arithmetic expression.

The EXPRESSION is evaluated according to the rules for arithmetic
evaluation.  Equivalent to `let "EXPRESSION"'.

Exit Status:
Returns 1 if EXPRESSION evaluates to 0; returns 0 otherwise.""",
    ".": """\
Execute commands from a file in the current shell.

Read and execute commands from FILENAME in the current shell.  The
entries in $PATH are used to find the directory containing FILENAME.
If any ARGUMENTS are supplied, they become the positional parameters
when FILENAME is executed.

Exit Status:
Returns the status of the last command executed in FILENAME; fails if
FILENAME cannot be read.""",
    ":": """\
Null command.

No effect; the command does nothing.

Exit Status:
Always succeeds.""",
    "[": """\
Evaluate conditional expression.

This is a synonym for the "test" builtin, but the last argument must
be a literal `]', to match the opening `['.""",
    "[[ ... ]]": """\
Execute conditional command.

Returns a status of 0 or 1 depending on the evaluation of the conditional
expression EXPRESSION.  Expressions are composed of the same primaries used
by the `test' builtin, and may be combined using the following operators:

  ( EXPRESSION )\tReturns the value of EXPRESSION
  ! EXPRESSION\t\tTrue if EXPRESSION is false; else false
  EXPR1 && EXPR2\tTrue if both EXPR1 and EXPR2 are true; else false
  EXPR1 || EXPR2\tTrue if either EXPR1 or EXPR2 is true; else false

When the `==' and `!=' operators are used, the string to the right of
the operator is used as a pattern and pattern matching is performed.
When the `=~' operator is used, the string to the right of the operator
is matched as a regular expression.

The && and || operators do not evaluate EXPR2 if EXPR1 is sufficient to
determine the expression's value.

Exit Status:
0 or 1 depending on value of EXPRESSION.""",
    "alias": """\
Define or display aliases.

Without arguments, `alias' prints the list of aliases in the reusable
form `alias NAME=VALUE' on standard output.

Otherwise, an alias is defined for each NAME whose VALUE is given.
A trailing space in VALUE causes the next word to be checked for
alias substitution when the alias is expanded.

Options:
  -p\tprint all defined aliases in a reusable format

Exit Status:
alias returns true unless a NAME is supplied for which no alias has been
defined.""",
    "bg": """\
Move jobs to the background.

Place the jobs identified by each JOB_SPEC in the background, as if they
had been started with `&'.  If JOB_SPEC is not present, the shell's notion
of the current job is used.

Exit Status:
Returns success unless job control is not enabled or an error occurs.""",
    "bind": """\
Set Readline key bindings and variables.

Bind a key sequence to a Readline function or a macro, or set a
Readline variable.  The non-option argument syntax is equivalent to
that found in ~/.inputrc, but must be passed as a single argument:
e.g., bind '"\\C-x\\C-r": re-read-init-file'.

Options:
  -m  keymap         Use KEYMAP as the keymap for the duration of this
                     command.  Acceptable keymap names are emacs,
                     emacs-standard, emacs-meta, emacs-ctlx, vi, vi-move,
                     vi-command, and vi-insert.
  -l                 List names of functions.
  -P                 List function names and bindings.
  -p                 List functions and bindings in a form that can be
                     reused as input.
  -S                 List key sequences that invoke macros and their values
  -s                 List key sequences that invoke macros and their values
                     in a form that can be reused as input.
  -V                 List variable names and values
  -v                 List variable names and values in a form that can
                     be reused as input.
  -q  function-name  Query about which keys invoke the named function.
  -u  function-name  Unbind all keys which are bound to the named function.
  -r  keyseq         Remove the binding for KEYSEQ.
  -f  filename       Read key bindings from FILENAME.
  -x  keyseq:shell-command\tCause SHELL-COMMAND to be executed when
\t\t\t\tKEYSEQ is entered.
  -X                 List key sequences bound with -x and associated commands
                     in a form that can be reused as input.

Exit Status:
bind returns 0 unless an unrecognized option is given or an error occurs.""",
    "break": """\
Exit for, while, or until loops.

Exit a FOR, WHILE or UNTIL loop.  If N is specified, break N enclosing
loops.

Exit Status:
The exit status is 0 unless N is not greater than or equal to 1.""",
    "builtin": """\
Execute shell builtins.

Execute SHELL-BUILTIN with arguments ARGs without performing command
lookup.  This is useful when you wish to reimplement a shell builtin
as a shell function, but need to execute the builtin within the function.

Exit Status:
Returns the exit status of SHELL-BUILTIN, or false if SHELL-BUILTIN is
not a shell builtin.""",
    "caller": """\
Return the context of the current subroutine call.

Without EXPR, returns "$line $filename".  With EXPR, returns
"$line $subroutine $filename"; this extra information can be used to
provide a stack trace.

The value of EXPR indicates how many call frames to go back before the
current one; the top frame is frame 0.

Exit Status:
Returns 0 unless the shell is not executing a shell function or EXPR
is invalid.""",
    "case": """\
Execute commands based on pattern matching.

Selectively execute COMMANDS based upon WORD matching PATTERN.  The
`|' is used to separate multiple patterns.

Exit Status:
Returns the status of the last command executed.""",
    "cd": """\
Change the shell working directory.

Change the current directory to DIR.  The default DIR is the value of the
HOME shell variable. If DIR is "-", it is converted to $OLDPWD.

The variable CDPATH defines the search path for the directory containing
DIR.  Alternative directory names in CDPATH are separated by a colon (:).
A null directory name is the same as the current directory.  If DIR begins
with a slash (/), then CDPATH is not used.

If the directory is not found, and the shell option `cdable_vars' is set,
the word is assumed to be  a variable name.  If that variable has a value,
its value is used for DIR.

Options:
  -L\tforce symbolic links to be followed: resolve symbolic
\t\tlinks in DIR after processing instances of `..'
  -P\tuse the physical directory structure without following
\t\tsymbolic links: resolve symbolic links in DIR before
\t\tprocessing instances of `..'
  -e\tif the -P option is supplied, and the current working
\t\tdirectory cannot be determined successfully, exit with
\t\ta non-zero status
  -@\ton systems that support it, present a file with extended
\t\tattributes as a directory containing the file attributes

The default is to follow symbolic links, as if `-L' were specified.
`..' is processed by removing the immediately previous pathname component
back to a slash or the beginning of DIR.

Exit Status:
Returns 0 if the directory is changed, and if $PWD is set successfully when
-P is used; non-zero otherwise.""",
    "command": """\
Execute a simple command or display information about commands.

Runs COMMAND with ARGS suppressing  shell function lookup, or display
information about the specified COMMANDs.  Can be used to invoke commands
on disk when a function with the same name exists.

Options:
  -p    use a default value for PATH that is guaranteed to find all of
        the standard utilities
  -v    print a description of COMMAND similar to the `type' builtin
  -V    print a more verbose description of each COMMAND

Exit Status:
Returns exit status of COMMAND, or failure if COMMAND is not found.""",
    "compgen": """\
Display possible completions depending on the options.

Intended to be used from within a shell function generating possible
completions.  If the optional WORD argument is supplied, matches against
WORD are generated.

Exit Status:
Returns success unless an invalid option is supplied or an error occurs.""",
    "complete": """\
Specify how arguments are to be completed by Readline.

For each NAME, specify how arguments are to be completed.  If no options
are supplied, existing completion specifications are printed in a way that
allows them to be reused as input.

Options:
  -p\tprint existing completion specifications in a reusable format
  -r\tremove a completion specification for each NAME, or, if no
\t\tNAMEs are supplied, all completion specifications
  -D\tapply the completions and actions as the default for commands
\t\twithout any specific completion defined
  -E\tapply the completions and actions to "empty" commands --
\t\tcompletion attempted on a blank line
  -I\tapply the completions and actions to the initial (usually the
\t\tcommand) word

When completion is attempted, the actions are applied in the order the
uppercase-letter options are listed above. If multiple options are supplied,
the -D option takes precedence over -E, and both take precedence over -I.

Exit Status:
Returns success unless an invalid option is supplied or an error occurs.""",
    "compopt": """\
Modify or display completion options.

Modify the completion options for each NAME, or, if no NAMEs are supplied,
the completion currently being executed.  If no OPTIONs are given, print
the completion options for each NAME or the current completion specification.

Options:
\t-o option\tSet completion option OPTION for each NAME
\t-D\t\tChange options for the "default" command completion
\t-E\t\tChange options for the "empty" command completion
\t-I\t\tChange options for completion on the initial word

Using `+o' instead of `-o' turns off the specified option.

Arguments:

Each NAME refers to a command for which a completion specification must
have previously been defined using the `complete' builtin.  If no NAMEs
are supplied, compopt must be called by a function currently generating
completions, and the options for that currently-executing completion
generator are modified.

Exit Status:
Returns success unless an invalid option is supplied or NAME does not
have a completion specification defined.""",
    "continue": """\
Resume for, while, or until loops.

Resumes the next iteration of the enclosing FOR, WHILE or UNTIL loop.
If N is specified, resumes the Nth enclosing loop.

Exit Status:
The exit status is 0 unless N is not greater than or equal to 1.""",
    "coproc": """\
Create a coprocess named NAME.

Execute COMMAND asynchronously, with the standard output and standard
input of the command connected via a pipe to file descriptors assigned
to indices 0 and 1 of an array variable NAME in the executing shell.
The default NAME is "COPROC".

Exit Status:
The coproc command returns an exit status of 0.""",
    "declare": """\
Set variable values and attributes.

Declare variables and give them attributes.  If no NAMEs are given,
display the attributes and values of all variables.

Options:
  -f\trestrict action or display to function names and definitions
  -F\trestrict display to function names only (plus line number and
\t\tsource file when debugging)
  -g\tcreate global variables when used in a shell function; otherwise
\t\tignored
  -I\tif creating a local variable, inherit the attributes and value
\t\tof a variable with the same name at a previous scope
  -p\tdisplay the attributes and value of each NAME

Options which set attributes:
  -a\tto make NAMEs indexed arrays (if supported)
  -A\tto make NAMEs associative arrays (if supported)
  -i\tto make NAMEs have the `integer' attribute
  -l\tto convert the value of each NAME to lower case on assignment
  -n\tmake NAME a reference to the variable named by its value
  -r\tto make NAMEs readonly
  -t\tto make NAMEs have the `trace' attribute
  -u\tto convert the value of each NAME to upper case on assignment
  -x\tto make NAMEs export

Using `+' instead of `-' turns off the given attribute.

Variables with the integer attribute have arithmetic evaluation (see
the `let' command) performed when the variable is assigned a value.

When used in a function, `declare' makes NAMEs local, as with the `local'
command.  The `-g' option suppresses this behavior.

Exit Status:
Returns success unless an invalid option is supplied or a variable
assignment error occurs.""",
    "dirs": """\
Display directory stack.

Display the list of currently remembered directories.  Directories
find their way onto the list with the `pushd' command; you can get
back up through the list with the `popd' command.

Options:
  -c\tclear the directory stack by deleting all of the elements
  -l\tdo not print tilde-prefixed versions of directories relative
\t\tto your home directory
  -p\tprint the directory stack with one entry per line
  -v\tprint the directory stack with one entry per line prefixed
\t\twith its position in the stack

Arguments:
  +N\tDisplays the Nth entry counting from the left of the list
\t\tshown by dirs when invoked without options, starting with
\t\tzero.

  -N\tDisplays the Nth entry counting from the right of the list
\t\tshown by dirs when invoked without options, starting with
\t\tzero.

Exit Status:
Returns success unless an invalid option is supplied or an error occurs.""",
    "disown": """\
Remove jobs from current shell.

Removes each JOBSPEC argument from the table of active jobs.  Without
any JOBSPECs, the shell uses its notion of the current job.

Options:
  -a\tremove all jobs if JOBSPEC is not supplied
  -h\tmark each JOBSPEC so that SIGHUP is not sent to the job if the
\t\tshell receives a SIGHUP
  -r\tremove only running jobs

Exit Status:
Returns success unless an invalid option or JOBSPEC is given.""",
    "echo": """\
Write arguments to the standard output.

Display the ARGs, separated by a single space character and followed by a
newline, on the standard output.

Options:
  -n\tdo not append a newline
  -e\tenable interpretation of the following backslash escapes
  -E\texplicitly suppress interpretation of backslash escapes

`echo' interprets the following backslash-escaped characters:
  \\a\talert (bell)
  \\b\tbackspace
  \\c\tsuppress further output
  \\e\tescape character
  \\E\tescape character
  \\f\tform feed
  \\n\tnew line
  \\r\tcarriage return
  \\t\thorizontal tab
  \\v\tvertical tab
  \\\\\tbackslash
  \\0nnn\tthe character whose ASCII code is NNN (octal).  NNN can be
\t\t0 to 3 octal digits
  \\xHH\tthe eight-bit character whose value is HH (hexadecimal).  HH
\t\tcan be one or two hex digits
  \\uHHHH\tthe Unicode character whose value is the hexadecimal value HHHH.
\t\tHHHH can be one to four hex digits.
  \\UHHHHHHHH the Unicode character whose value is the hexadecimal value
\t\tHHHHHHHH. HHHHHHHH can be one to eight hex digits.

Exit Status:
Returns success unless a write error occurs.""",
    "enable": """\
Enable and disable shell builtins.

Enables and disables builtin shell commands.  Disabling allows you to
execute a disk command which has the same name as a shell builtin
without using a full pathname.

Options:
  -a\tprint a list of builtins showing whether or not each is enabled
  -n\tdisable each NAME or display a list of disabled builtins
  -p\tprint the list of builtins in a reusable format
  -s\tprint only the names of Posix `special' builtins

Options controlling dynamic loading:
  -f\tLoad builtin NAME from shared object FILENAME
  -d\tRemove a builtin loaded with -f

Without options, each NAME is enabled.

To use the `test' found in $PATH instead of the shell builtin
version, type `enable -n test'.

Exit Status:
Returns success unless NAME is not a shell builtin or an error occurs.""",
}
