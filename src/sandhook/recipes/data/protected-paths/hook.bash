# Patterns of paths that nobody reads or changes here, one on a line.
SECRET='
.env
.env.*
*.pem
*.key
*.p12
*.kdbx
id_rsa
id_ed25519
id_ecdsa
.netrc
.npmrc
.pypirc
.aws/*
.ssh/*
.gnupg/*
.kube/config
.docker/config.json
credentials.json
/etc/shadow'

# Exceptions: files without secrets.
PUBLIC='
.env.example
.env.sample
.env.template
*.pub
*.pub.key'

# Patterns of paths that may be read, and not changed.
READ_ONLY='
.git/*
.github/workflows/*
.claude/settings*.json
.claude/hooks/*
.codex/*
.gemini/settings.json
.gemini/hooks/*
.cursor/hooks*
.github/hooks/*
.agents/*hooks*
.qwen/settings*.json
.qwen/hooks/*
.factory/settings*.json
.factory/hooks*
.crush/hooks/*
crush.json
.crush.json
.grok/hooks*
.jcode/hooks*
.kiro/agents/*
.clinerules/hooks/*
.cline/hooks/*
.kiro/hooks/*
.openhands/hooks*
.ub/config.yaml
.ub/hooks/*
.vibe/hooks*
.vibe/config.toml
.hermes/config.yaml
.kimi-code/config.toml
hooks/docker_agent/*
hooks/hermes/*
hooks/kimi/*
*/hooks/*.expect.yaml
.gitmodules
.husky/*
/etc/*
/usr/*
/boot/*'

main() {
  local command paths path tool
  command=$(shell_text) && each_command "$command"
  paths=$(file_paths) || refuse "The hook cannot read the paths of this call."
  tool=$(tool_name)
  while IFS= read -r path; do
    [[ -n $path ]] || continue
    refuse_secret "$path"
    case $tool in
      *[Rr]ead* | *view* | *View*) ;;
      *) refuse_change "$path" ;;
    esac
  done <<<"$paths"
  pass
}

# Every word of a command may be a path. What follows ">" is changed, and so are the operands of these programs.
check() {
  local name=$1 word previous='' changes=no
  shift
  case $name in
    rm | mv | tee | truncate | touch | chmod | chown | ln | dd | install | rsync | shred | patch | unlink | cp) changes=yes ;;
    sed | perl | ruby) [[ " $* " =~ \ (-[A-Za-z]*i|--in-place) ]] && changes=yes ;;
  esac
  for word in "$@"; do
    word=${word#*=}
    refuse_secret "$word"
    [[ $changes == yes || $previous == '>' ]] && refuse_change "$word"
    previous=$word
  done
}

refuse_secret() {
  ! matches "$1" "$PUBLIC" && matches "$1" "$SECRET" &&
    refuse "$1 may have secrets: it is neither read nor changed here. Ask the user for what you need of it."
}

refuse_change() { matches "$1" "$READ_ONLY" && refuse "$1 is protected: ask the user to change it."; }

# Succeeds if a path, or the end of it from a slash on, matches one of the patterns.
matches() {
  local path=$1 pattern
  [[ $path == ?*/ ]] && path=${path%/}
  while [[ $path == *//* ]]; do path=${path//\/\//\/}; done
  while [[ $path == */./* ]]; do path=${path//\/.\//\/}; done
  while IFS= read -r pattern; do
    [[ -n $pattern ]] || continue
    # shellcheck disable=SC2053 # patterns
    if [[ $path == $pattern || ($pattern != /* && $path == */$pattern) || $path/ == ${pattern%\*} ]]; then return 0; fi
    [[ $pattern != /* && $pattern == */\* && $path == */${pattern%/\*} ]] && return 0
  done <<<"$2"
  return 1
}
