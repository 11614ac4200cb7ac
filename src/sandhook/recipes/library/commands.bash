# Calls `check NAME ARGUMENT...` for each simple command of the shell text $1. NAME has no directory, words have no
# quotes. Commands inside of $( ), backquotes, subshells and here-documents of shells count, as do those that sudo, env,
# xargs, find, eval, sh -c and similar programs run. ">" and "<" are words of their own. $reads_pipe is "yes" in check
# for a command after "|". It refuses more than 40 nested texts, and more than 12,000 characters: an agent may let a call pass
# whose hook runs out of time.
each_command() {
  local text line operator reads_pipe count=0
  local -a words previous texts
  texts=("$1")
  while ((count < ${#texts[@]})); do # texts inside of texts are added at the end
    text=${texts[count]}
    ((count += 1))
    ((count <= 40)) || refuse "This command is nested too deeply to be checked. Write it to a file, or run its parts."
    ((${#text} <= 12000)) || refuse "This command is too long to be checked in time. Write files with the tool for files, or put the commands into a file."
    previous=()
    while IFS= read -r line; do
      operator=${line%%$'\037'*}
      IFS=$'\037' read -r -a words <<<"${line#*$'\037'}"
      words=("${words[@]//$'\036'/$'\n'}")
      if [[ $operator == text ]]; then
        texts+=("${words[0]}")
        continue
      fi
      reads_pipe=no
      [[ $operator == '|' ]] && reads_pipe=yes
      strip_words
      ((${#words[@]})) || continue
      one_command "${words[@]}"
      if [[ $operator == '|' ]] && is_shell "${words[0]##*/}" && ((${#previous[@]})); then
        run_words "${previous[@]}" # echo 'rm -rf /' | sh
      fi
      previous=("${words[@]}")
    done < <(split_commands "$text")
  done
}

# Removes reserved words, assignments and redirections from the beginning of $words.
strip_words() {
  while ((${#words[@]})); do
    case ${words[0]} in
      '{' | '}' | '!' | if | then | elif | else | fi | while | until | do | done | case | esac | function | time | coproc)
        words=("${words[@]:1}")
        ;;
      '>' | '<') words=("${words[@]:2}") ;;
      *)
        [[ ${words[0]} =~ ^[A-Za-z_][A-Za-z0-9_]*(\[[^]]*\])?\+?= ]] || break
        words=("${words[@]:1}")
        ;;
    esac
  done
}

is_shell() { [[ $1 =~ ^(ba|da|z|k|mk|a|fi|tc|c)?sh$ ]]; }

# Checks a command, and what it runs if it runs other commands.
one_command() {
  local name=${1##*/}
  shift
  check "$name" "$@"
  if is_shell "$name"; then
    run_words "$@"
    return
  fi
  case $name in
    eval | ssh) texts+=("$*") ;;
    alias) texts+=("${*#*=}") ;;
    sudo | doas | su | runuser | env | nohup | nice | ionice | timeout | stdbuf | setsid | command | builtin | exec | time | \
      xargs | parallel | find | fd | chroot | unshare | watch | script | flock | strace | busybox | toybox | trap | \
      caffeinate | entr | direnv)
      run_words "$@"
      ;;
  esac
}

# Checks every command that words could be: options differ between programs, so each word may be the name.
run_words() {
  while (($#)); do
    case $1 in
      *[[:space:]\;\|\&]*) texts+=("$1") ;;
    esac
    check "${1##*/}" "${@:2}"
    shift
  done
}

# Prints the simple commands of a shell text, one on a line: the operator before the command and its words, each with
# the byte 037 before it. The operator "text" stands for a text with commands. A newline in a word is the byte 036; $( ) stands for the output of a command.
split_commands() {
  local rest=$1 mode=plain operator=';' word='' started='' line='' recent='' level=0 chunk character
  local -a kinds modes operators words starts lines delimiters
  delimiters=()
  while [[ -n $rest ]]; do
    if [[ $mode == quoted ]]; then
      chunk=${rest%%[\\\"\$\`]*}
    else
      chunk=${rest%%[[:space:]\\\"\'\$\`\;\&\|\<\>\(\)\#]*}
    fi
    if [[ -n $chunk ]]; then
      word+=$chunk started=yes rest=${rest:${#chunk}}
      continue
    fi
    character=${rest:0:1} rest=${rest:1}
    case $character in
      \\) read_escape ;;
      \$) read_dollar ;;
      \`)
        if ((level)) && [[ ${kinds[level - 1]} == '`' ]]; then close_text; else open_text '`'; fi
        ;;
      \") if [[ $mode == quoted ]]; then mode=plain; else mode=quoted started=yes; fi ;;
      \')
        word+=${rest%%\'*} started=yes
        case $rest in *\'*) rest=${rest#*\'} ;; *) rest='' ;; esac
        ;;
      \#) if [[ -n $started ]]; then word+=\#; else rest=${rest#"${rest%%$'\n'*}"}; fi ;;
      $'\n')
        end_command ';'
        read_documents
        recent=''
        ;;
      \;) end_command ';' ;;
      \&) [[ $rest == '>'* ]] || end_command ';' ;;
      \|)
        if [[ $rest == '|'* ]]; then rest=${rest:1}; end_command ';'; else end_command '|'; fi
        [[ $operator == '|' ]] && rest=${rest#&}
        ;;
      \() open_text group ;;
      \)) if ((level)) && [[ ${kinds[level - 1]} != '`' ]]; then close_text; else end_command ';'; fi ;;
      \< | \>) read_redirection ;;
      *) end_word ;;
    esac
  done
  while ((level)); do close_text; done
  end_command ';'
}

read_escape() {
  character=${rest:0:1} rest=${rest:1}
  case $character in
    $'\n') ;;
    [\\\"\$\`]) word+=$character started=yes ;;
    *)
      [[ $mode == quoted ]] && word+=\\
      word+=$character started=yes
      ;;
  esac
}

read_dollar() {
  local pattern="^'(([^\\\\']|\\\\.)*)'"
  case $rest in
    \(*)
      rest=${rest:1}
      open_text '$('
      ;;
    \'*)
      if [[ $mode == plain && $rest =~ $pattern ]]; then
        rest=${rest:${#BASH_REMATCH[0]}}
        printf -v chunk %b "${BASH_REMATCH[1]//\\\'/\'}"
        word+=$chunk
      else
        word+=\$
      fi
      started=yes
      ;;
    \"*) if [[ $mode == quoted ]]; then word+=\$; fi ;;
    *) word+=\$ started=yes ;;
  esac
}

read_redirection() {
  if [[ $word =~ ^[0-9]+$ ]]; then word='' started=''; else end_word; fi
  case $character$rest in
    '<('* | '>('*)
      rest=${rest:1}
      open_text "$character("
      return
      ;;
    '<<<'*) rest=${rest:2} ;;
    '<<'*)
      if [[ $rest =~ ^\<(-?)[[:blank:]]*([\\\"\']?)([^[:space:]\;\&\|\<\>\(\)\"\'\\]+)[\"\']? ]]; then
        rest=${rest:${#BASH_REMATCH[0]}}
        delimiters+=("${BASH_REMATCH[2]:+quoted}:${BASH_REMATCH[3]}")
      fi
      return
      ;;
    '<&'* | '>&'* | '>>'* | '>|'* | '<>'*) rest=${rest:1} ;;
  esac
  line+=$'\037'$character
}

# Reads the here-documents of the commands before a newline. Their lines are commands for a shell, and else text.
read_documents() {
  local delimiter body one
  for delimiter in "${delimiters[@]}"; do
    body=''
    while [[ -n $rest ]]; do
      one=${rest%%$'\n'*} rest=${rest#"$one"} rest=${rest#$'\n'}
      [[ ${one#"${one%%[!$'\t']*}"} == "${delimiter#*:}" ]] && break
      body+=$one$'\n'
    done
    if [[ $recent =~ (^|[/$'\037'])(ba|da|z|k|mk|a|fi|tc|c)?sh($|$'\037') ]]; then
      operator=text word=$body started=yes
      end_command ';'
    elif [[ $delimiter == :* && $body == *[\$\`]* ]]; then
      operator=text word="\"${body//\"/}\"" started=yes # substitutions run in an unquoted document
      end_command ';'
    fi
  done
  delimiters=()
}

end_word() {
  [[ -n $started ]] && line+=$'\037'${word//$'\n'/$'\036'}
  word='' started=''
}

# Prints the command that ends here; $1 is the operator before the next one.
end_command() {
  end_word
  if [[ -n $line ]]; then
    printf '%s%s\n' "$operator" "$line"
    recent+=$line
  fi
  line='' operator=$1
}

# Begins the text inside of a substitution or a subshell.
open_text() {
  [[ $1 == group ]] && end_command "$operator" # f() { ...; }
  kinds[level]=$1 modes[level]=$mode operators[level]=$operator
  words[level]=$word starts[level]=$started lines[level]=$line
  ((level += 1))
  mode=plain word='' started='' line=''
  [[ $1 == group ]] || operator=$1
}

close_text() {
  end_command ';'
  ((level -= 1))
  mode=${modes[level]} operator=${operators[level]} word=${words[level]} line=${lines[level]}
  started=${starts[level]}
  if [[ ${kinds[level]} != group ]]; then word+='$()' started=yes; fi
}
