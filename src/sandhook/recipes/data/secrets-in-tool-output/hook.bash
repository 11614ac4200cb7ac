main() {
  local kind
  if kind=$(output_text | find_secret); then
    inform "The output has $kind. Do not repeat it, write it to a file or send it anywhere; tell the user where it is."
  fi
  pass
}
