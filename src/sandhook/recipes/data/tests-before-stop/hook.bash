# The program that runs the tests of this project; a variable of the environment overrides it.
TESTS=${AGENT_TESTS:-tools/test}

# How often in a row the agent must continue.
MOST=3

main() {
  local count session output status
  enter_project || pass
  session=$(session_id)
  count=$(read_count "stops-$session")
  output=$(run_tests 2>&1)
  status=$?
  if ((status == 0 || count >= MOST)); then
    ((count == 0)) || write_count "stops-$session" 0
    pass
  fi
  write_count "stops-$session" $((count + 1))
  keep_working "The tests fail with the exit status $status. The end of their output:
$(tail -n 30 <<<"$output")"
}

run_tests() {
  if [[ -x $TESTS ]]; then
    "$TESTS"
  elif grep -q '^test:' Makefile 2>/dev/null && command -v make >/dev/null; then
    make test
  elif [[ -f package.json ]] && jq -e .scripts.test package.json >/dev/null && command -v npm >/dev/null; then
    npm test
  elif [[ -f Cargo.toml ]] && command -v cargo >/dev/null; then
    cargo test --quiet
  elif [[ -f go.mod ]] && command -v go >/dev/null; then
    go test ./...
  elif [[ -f pytest.ini || -f pyproject.toml && -d tests ]] && command -v python3 >/dev/null; then
    python3 -m pytest -q
  fi
}
