main() {
  umask 077
  if enter_project && mkdir -p .agent-state && printf '*\n' >.agent-state/.gitignore; then
    jq -nc --arg time "$(date -u +%Y-%m-%dT%H:%M:%SZ)" --arg session "$(session_id)" --arg tool "$(tool_name)" \
      --argjson input "$(input_json)" '{$time, $session, $tool, $input}' >>.agent-state/audit.jsonl
  fi
  pass
}
