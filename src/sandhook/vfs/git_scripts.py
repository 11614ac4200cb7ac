"""The two libraries of shell functions that scripts source from ``$(git --exec-path)``, written for the sandbox.

Source: git-sh-setup(1), git-sh-i18n(1). Oracle: git 2.39. They call ``git`` for all that they know, and start no editor.
"""

from __future__ import annotations

I18N = rb"""# Messages of scripts: functions for texts, which nobody translates here.

TEXTDOMAIN=git
TEXTDOMAINDIR=/usr/share/locale
export TEXTDOMAIN TEXTDOMAINDIR

gettextln () {
	gettext "$1"
	echo
}

# Print a text with the values of its $NAME and ${NAME}; nothing else in it is expanded.
eval_gettext () {
	gettext "$1" | (
		export PATH $(envsubst --variables "$1")
		envsubst "$1"
	)
}

eval_gettextln () {
	eval_gettext "$1"
	echo
}

# Print the text for one or the one for other numbers of things.
eval_ngettext () {
	ngettext "$1" "$2" "$3" | (
		export PATH $(envsubst --variables "$1 $2")
		envsubst "$1 $2"
	)
}

# The first argument is the context of a translation, and no text has one.
eval_pgettext () {
	eval_gettext "$2"
}

eval_npgettext () {
	eval_ngettext "$2" "$3" "$4"
}
"""

SETUP = rb"""# What scripts of git begin with: options, the repository, and functions for errors and states.

unset CDPATH
IFS=$(printf ' \t\nx')
IFS=${IFS%x}

. "$(git --exec-path)/git-sh-i18n"

die () {
	die_with_status 1 "$@"
}

die_with_status () {
	_git_status=$1
	shift
	printf '%s\n' "$*" >&2
	exit "$_git_status"
}

if test -n "$OPTIONS_SPEC"
then
	usage () {
		"$0" -h
		exit 1
	}
	_git_flags=
	test -z "$OPTIONS_KEEPDASHDASH" || _git_flags=--keep-dashdash
	test -z "$OPTIONS_STUCKLONG" || _git_flags="$_git_flags --stuck-long"
	eval "$(printf '%s\n' "$OPTIONS_SPEC" | git rev-parse --parseopt $_git_flags -- "$@" || echo exit $?)"
else
	dashless=${0##*/}
	case $dashless in
	*-*) dashless="${dashless%%-*} ${dashless#*-}" ;;
	esac
	usage () {
		die "usage: $dashless $USAGE"
	}
	LONG_USAGE="usage: $dashless $USAGE${LONG_USAGE:+

$LONG_USAGE}"
	if test "$1" = -h
	then
		printf '%s\n' "$LONG_USAGE"
		exit
	fi
fi

set_reflog_action () {
	test -n "${GIT_REFLOG_ACTION:+set}" || GIT_REFLOG_ACTION=$*
	export GIT_REFLOG_ACTION
}

git_editor () {
	die "git_editor: git in the sandbox starts no editor (L-GIT-002)"
}

git_pager () {
	cat "$@"
}

is_absolute_path () {
	case $1 in
	/*) return 0 ;;
	*) return 1 ;;
	esac
}

is_bare_repository () {
	git rev-parse --is-bare-repository
}

cd_to_toplevel () {
	_git_top=$(git rev-parse --show-toplevel) && cd "$_git_top" ||
		die 'Cannot chdir to $cdup, the toplevel of the working tree'
}

require_work_tree_exists () {
	test "$(git rev-parse --is-bare-repository)" = false ||
		die "fatal: $0 cannot be used without a working tree."
}

require_work_tree () {
	test "$(git rev-parse --is-inside-work-tree 2>/dev/null)" = true ||
		die "fatal: $0 cannot be used without a working tree."
}

require_clean_work_tree () {
	git rev-parse --verify HEAD >/dev/null || exit 1
	_git_clean=yes
	if ! git diff-files --quiet --ignore-submodules
	then
		printf '%s\n' "Cannot $1: You have unstaged changes." >&2
		_git_clean=no
	fi
	if ! git diff-index --cached --quiet --ignore-submodules HEAD --
	then
		case $_git_clean in
		yes) printf '%s\n' "Cannot $1: Your index contains uncommitted changes." >&2 ;;
		no) printf '%s\n' "Additionally, your index contains uncommitted changes." >&2 ;;
		esac
		_git_clean=no
	fi
	test $_git_clean = yes && return 0
	test -z "$2" || printf '%s\n' "$2" >&2
	exit 1
}

# Read a commit, and print assignments for its people: HEADER and PREFIX as arguments, several times.
parse_ident_from_commit () {
	awk -v quote="'" '
	function show(name, value) {
		gsub(quote, quote "\\\\" quote quote, value)
		print "GIT_" name "=" quote value quote
	}
	BEGIN {
		for (i = 1; i < ARGC; i += 2)
			prefixes[ARGV[i]] = ARGV[i + 1]
		ARGC = 1
	}
	/^$/ { exit }
	$1 in prefixes {
		prefix = prefixes[$1]
		text = substr($0, length($1) + 2)
		opened = index(text, "<")
		closed = index(text, ">")
		show(prefix "_NAME", substr(text, 1, opened > 1 ? opened - 2 : 0))
		show(prefix "_EMAIL", substr(text, opened + 1, closed - opened - 1))
		show(prefix "_DATE", "@" substr(text, closed + 2))
	}' "$@"
}

# Print a script for sed that does the same with the text of a commit.
pick_ident_script () {
	while test $# -gt 1
	do
		printf '/^%s /{\n' "$1"
		cat <<-EOF
		s/'/'\\\\''/g
		h
		s/^$1 \([^<]*\) <[^>]*> .*\$/GIT_$2_NAME='\1'/p
		g
		s/^$1 [^<]* <\([^>]*\)> .*\$/GIT_$2_EMAIL='\1'/p
		g
		s/^$1 [^<]* <[^>]*> \(.*\)\$/GIT_$2_DATE='@\1'/p
		}
		EOF
		shift 2
	done
	echo '/^$/q'
}

# Put a directory into PATH before /bin or /usr/bin, unless it is there.
git_broken_path_fix () {
	case :$PATH: in
	*:"$1":*) ;;
	*:/bin:* | *:/usr/bin:*)
		_git_before= _git_rest=$PATH:
		while :
		do
			_git_part=${_git_rest%%:*}
			case $_git_part in
			/bin | /usr/bin) break ;;
			esac
			_git_before=$_git_before$_git_part:
			_git_rest=${_git_rest#*:}
		done
		_git_rest=${_git_rest%:}
		PATH=$_git_before$1:$_git_rest
		;;
	esac
}

get_author_ident_from_commit () {
	git show -s --pretty=raw --encoding=UTF-8 "$1" -- | parse_ident_from_commit author AUTHOR
}

create_virtual_base () {
	_git_common=$(diff --old-line-format= --new-line-format= --unchanged-line-format=%L "$1" "$2"; echo x)
	_git_common=${_git_common%x}
	if test "$(wc -c <"$1")" -lt $((2 * $(printf '%s' "$_git_common" | wc -c)))
	then
		printf '%s' "$_git_common" >"$1"
	else
		: >"$1"
	fi
}

peel_committish () {
	case $1 in
	:/*) _git_name=$(git rev-parse --verify "$1") && git rev-parse --verify "$_git_name^0" ;;
	*) git rev-parse --verify "$1^0" ;;
	esac
}

git_dir_init () {
	GIT_DIR=$(git rev-parse --git-dir) || exit
	if test -z "$SUBDIRECTORY_OK" && test -n "$(git rev-parse --show-cdup)"
	then
		die 'You need to run this command from the toplevel of the working tree.'
	fi
	GIT_DIR=$(cd "$GIT_DIR" && pwd) || die 'Unable to determine absolute path of git directory'
	: "${GIT_OBJECT_DIRECTORY="$(git rev-parse --git-path objects)"}"
}

if test -z "$NONGIT_OK"
then
	git_dir_init
fi
"""
