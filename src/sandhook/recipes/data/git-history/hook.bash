main() {
  local command
  command=$(shell_text) || refuse "The hook cannot read the command of this call."
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
  local verb=$1 word arguments=" ${*:2} "
  (($#)) && shift
  case $verb in
    push)
      for word in "$@"; do
        case $word in
          --force | --force-with-lease* | --force-if-includes | --mirror | --prune | --delete)
            refuse "git push $word rewrites or removes what others have. Push a new branch, or ask the user."
            ;;
          --*) ;;
          -*[fd]*) refuse "git push $word rewrites or removes what others have. Push a new branch, or ask the user." ;;
          +*) refuse "git push $word forces the branch. Push a new branch, or ask the user." ;;
          :?*) refuse "git push $word removes a branch. Ask the user." ;;
        esac
      done
      ;;
    reset) [[ $arguments == *' --hard '* || $arguments == *' --merge '* ]] && refuse "git reset --hard discards work. Use git stash, or git reset --keep." ;;
    clean) [[ $arguments =~ \ (-[A-Za-z]*f|--force) && ! $arguments =~ \ (-[A-Za-z]*n|--dry-run) ]] && refuse "git clean -f removes files for good. List them with git clean -n, and ask the user." ;;
    checkout | restore | switch)
      [[ $arguments =~ \ (-f|--force|--discard-changes)\  ]] && refuse "git $verb --force discards work."
      [[ $verb != switch && $arguments =~ \ (\.|:/|\*)\  && $arguments != *' --staged '* ]] && refuse "git $verb . discards all changes. Name the files."
      ;;
    branch) [[ $arguments =~ \ (-[A-Za-z]*D|--delete\ .*--force|--force\ .*--delete|-d\ .*-f|-f\ .*-d) ]] && refuse "git branch -D removes commits that are not merged. Use git branch -d." ;;
    commit) [[ $arguments == *' --amend '* ]] && refuse "git commit --amend rewrites a commit. Make a new commit." ;;
    rebase) [[ $arguments =~ \ --(abort|continue|skip|quit|edit-todo|show-current-patch)\  ]] || refuse "git rebase rewrites commits. Use git merge, or ask the user." ;;
    stash) [[ $1 == drop || $1 == clear ]] && refuse "git stash $1 discards work." ;;
    reflog) [[ $1 == expire || $1 == delete ]] && refuse "git reflog $1 makes lost commits unreachable." ;;
    update-ref | filter-branch | filter-repo | replace) refuse "git $verb rewrites history. Ask the user." ;;
    gc) [[ $arguments == *' --prune'* ]] && refuse "git gc --prune removes lost commits for good." ;;
  esac
  return 0
}
