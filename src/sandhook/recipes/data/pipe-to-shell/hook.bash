main() {
  local command
  command=$(shell_text) || refuse "The hook cannot read the command of this call."
  each_command "$command"
  pass
}

check() {
  local name=$1 word previous='' script='' only_options=yes
  shift
  is_shell "$name" || [[ $name =~ ^(python|perl|ruby|node|php|deno|bun|lua|osascript|pwsh|powershell)[0-9.]*$ ]] ||
    [[ $name == eval || $name == source || $name == . ]] || return 0
  for word in "$@"; do
    [[ $word == *'$()'* ]] &&
      refuse "This runs the output of another command. Save it to a file, show it to the user, and run the file."
    if [[ $previous == '>' || $previous == '<' ]]; then # the file of a redirection
      previous=''
      continue
    fi
    previous=$word
    case $word in
      - | -s | /dev/stdin | /dev/fd/0) ;;
      -c | -lc | -ic) script=yes ;;
      -e | -m) is_shell "$name" || script=yes ;; # of a shell it is a mode
      -* | '>' | '<') ;;
      *) only_options=no ;;
    esac
    [[ $word == - || $word == -s || $word == /dev/stdin ]] && script='' && only_options=yes && break
  done
  [[ $reads_pipe == yes && $only_options == yes && -z $script ]] &&
    refuse "$name would run what comes through a pipe. Save it to a file, show it to the user, and run the file."
  return 0
}
