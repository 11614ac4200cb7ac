# The program that formats a file of this project; a variable of the environment overrides it.
FORMATTER=${AGENT_FORMATTER:-tools/format}

main() {
  local path
  enter_project || pass
  while IFS= read -r path; do
    [[ -f $path ]] && format "$path" >/dev/null 2>&1
  done < <(file_paths)
  pass
}

format() {
  if [[ -x $FORMATTER ]]; then
    "$FORMATTER" "$1"
    return
  fi
  case $1 in
    *.py | *.pyi) run_first "ruff format -q" "black -q" -- "$1" ;;
    *.js | *.jsx | *.ts | *.tsx | *.css | *.html | *.json | *.md | *.yaml | *.yml)
      run_first "node_modules/.bin/prettier --write" "node_modules/.bin/biome format --write" "prettier --write" -- "$1"
      ;;
    *.go) run_first "gofmt -w" -- "$1" ;;
    *.rs) run_first "rustfmt --edition 2021" -- "$1" ;;
    *.sh | *.bash) run_first "shfmt -w" -- "$1" ;;
    *.c | *.h | *.cc | *.cpp | *.hpp) run_first "clang-format -i" -- "$1" ;;
    *.tf) run_first "terraform fmt" -- "$1" ;;
  esac
}

# Runs the first of several commands whose program exists, on the file after "--".
run_first() {
  local file=${*: -1} command
  for command in "$@"; do
    [[ $command == -- ]] && return
    if command -v "${command%% *}" >/dev/null; then
      $command "$file" # the options are words
      return
    fi
  done
}
