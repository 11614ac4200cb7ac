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
    *.py | *.pyi) run_first "$1" "ruff format -q" "black -q" ;;
    *.js | *.jsx | *.ts | *.tsx | *.css | *.html | *.json | *.md | *.yaml | *.yml)
      run_first "$1" "node_modules/.bin/prettier --write" "node_modules/.bin/biome format --write" "prettier --write"
      ;;
    *.go) run_first "$1" "gofmt -w" ;;
    *.rs) run_first "$1" "rustfmt --edition 2021" ;;
    *.sh | *.bash) run_first "$1" "shfmt -w" ;;
    *.c | *.h | *.cc | *.cpp | *.hpp) run_first "$1" "clang-format -i" ;;
    *.tf) run_first "$1" "terraform fmt" ;;
  esac
}

# Runs the first of several commands whose program exists, on the file $1.
run_first() {
  local file=$1 command
  shift
  for command in "$@"; do
    if command -v "${command%% *}" >/dev/null; then
      $command "$file" # the options are words
      return
    fi
  done
}
