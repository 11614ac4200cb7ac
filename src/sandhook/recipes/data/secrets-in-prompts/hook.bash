main() {
  local text kind
  text=$(prompt_text) || refuse "The hook cannot read the prompt."
  if kind=$(find_secret <<<"$text"); then
    refuse "The prompt has $kind. Remove it, and consider it as known to others if it was sent before."
  fi
  pass
}
