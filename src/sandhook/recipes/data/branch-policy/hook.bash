# Patterns of branches on which people alone commit, one on a line.
PROTECTED='
main
master
trunk
develop
release/*
production'

main() {
  local command
  command=$(shell_text) || refuse "The hook cannot read the command of this call."
  enter_project || refuse "The hook cannot enter the directory of the project."
  each_command "$command"
  pass
}

check() {
  [[ $1 == git ]] || return 0
  shift
  while (($#)); do # options of git itself
    case $1 in
      -C | -c | --git-dir | --work-tree | --namespace | --exec-path | --config-env) shift; (($#)) && shift ;;
      -*) shift ;;
      *) break ;;
    esac
  done
  local verb=$1 branch word operands=0
  (($#)) && shift
  branch=$(current_branch)
  case $verb in
    commit | merge | rebase | cherry-pick | revert | am | pull)
      is_protected "$branch" && [[ " $* " != *' --abort '* && " $* " != *' --ff-only '* ]] &&
        refuse "git $verb on $branch is for people. Make a branch first: git switch -c NAME."
      ;;
    push)
      for word in "$@"; do
        case $word in
          --all | --mirror | --branches) refuse "git push $word pushes protected branches too. Name your branch." ;;
          -*) continue ;;
        esac
        ((operands += 1))
        ((operands > 1)) || continue # the first operand is the repository
        word=${word#+} word=${word##*:} word=${word#refs/heads/}
        [[ $word == HEAD ]] && word=$branch
        is_protected "$word" && refuse "git push to $word is for people. Push a branch and open a pull request."
      done
      ((operands < 2)) && is_protected "$branch" && refuse "git push on $branch is for people. Push a branch and open a pull request."
      ;;
  esac
  return 0
}

current_branch() { sed -n 's,^ref: refs/heads/,,p' .git/HEAD 2>/dev/null || git symbolic-ref --short -q HEAD; }

is_protected() {
  local pattern
  while IFS= read -r pattern; do
    # shellcheck disable=SC2053 # a pattern
    [[ -n $pattern && $1 == $pattern ]] && return 0
  done <<<"$PROTECTED"
  return 1
}
