# Patterns of hosts that may be reached, one on each line. Put the hosts of your project here, such as that of its packages.
ALLOWED='
localhost
127.0.0.1
github.com
*.github.com
*.githubusercontent.com
packages.example.com'

main() {
  local command text url
  command=$(shell_text) && each_command "$command"
  text=$(input_text) || refuse "The hook cannot read the input of this call."
  while IFS= read -r url; do check_url "$url"; done <<<"$text"
  pass
}

check() {
  local name=$1 word
  shift
  case $name in
    curl | wget | http | https | xh | aria2c | lynx | w3m | ftp | git | svn)
      for word in "$@"; do
        if [[ $word == *://* ]]; then
          check_url "$word"
        elif [[ $name != git && $word =~ ^[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+([:/].*)?$ ]] || [[ $word =~ ^[a-z]+@[^:/]+: ]]; then
          word=${word#*@} word=${word%%[:/]*}
          [[ -e $word ]] || check_host "$word"
        fi
      done
      ;;
    nc | ncat | netcat | telnet | socat | openssl) check_hosts "$name" "$@" ;;
    ssh | scp | sftp | rsync)
      for word in "$@"; do
        if [[ $word == *@* || $word =~ ^[A-Za-z0-9.-]+: ]]; then
          word=${word#*@}
          check_host "${word%%:*}"
        elif [[ $name == ssh && $word =~ ^[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+$ ]]; then
          check_host "$word"
        fi
      done
      ;;
  esac
  for word in "$@"; do
    [[ $word == /dev/tcp/* || $word == /dev/udp/* ]] && word=${word#/dev/*/} && check_host "${word%%/*}"
  done
  return 0
}

# Refuses for the first operand that looks like a host.
check_hosts() {
  local word
  for word in "${@:2}"; do
    word=${word#[Tt][Cc][Pp]*:}
    [[ $word == -l* ]] && return 0 # listens
    [[ $word =~ ^[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+(:[0-9]+)?$ ]] && check_host "${word%%:*}"
  done
}

# Checks the host of a text that is a URL.
check_url() {
  [[ $1 =~ ^[A-Za-z][A-Za-z0-9+.-]*://([^/?#]*) ]] || return 0
  local host=${BASH_REMATCH[1]##*@}
  [[ $host == \[* ]] || host=${host%%:*}
  check_host "$host"
}

check_host() {
  local pattern
  while IFS= read -r pattern; do
    # shellcheck disable=SC2053 # a pattern
    [[ -n $pattern && $1 == $pattern ]] && return 0
  done <<<"$ALLOWED"
  refuse "${1:-This host} is not on the list of hosts that may be reached. Ask the user to add it to the hook."
}
