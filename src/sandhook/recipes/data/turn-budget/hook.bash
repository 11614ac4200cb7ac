# The most of one session; a variable of the environment overrides each.
CALLS=${AGENT_MAX_CALLS:-500}
TOKENS=${AGENT_MAX_OUTPUT_TOKENS:-1000000}

main() {
  local session count tokens
  enter_project || refuse "The hook cannot enter the directory of the project."
  session=$(session_id) || refuse "The hook cannot read the session of this call."
  count=$(read_count "calls-$session")
  ((count < CALLS)) || refuse "The budget of $CALLS tool calls of this session is used up. Report what is done, and ask the user."
  tokens=$(output_tokens)
  ((${tokens:-0} < TOKENS)) || refuse "The budget of $TOKENS output tokens of this session is used up. Report what is done, and ask the user."
  write_count "calls-$session" $((count + 1)) || refuse "The hook cannot count the calls in .agent-state."
  pass
}
