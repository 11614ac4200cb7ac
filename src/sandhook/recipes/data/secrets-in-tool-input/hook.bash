main() {
  local text kind
  text=$(input_text) || refuse "The hook cannot read the input of this call."
  if kind=$(find_secret <<<"$text"); then
    refuse "The input has $kind. Use a variable of the environment or a secret store instead of its value."
  fi
  pass
}
