# Prints the number in a file of the directory .agent-state; 0 without such a file.
read_count() {
  local count=0
  [[ -f .agent-state/$1 ]] && read -r count <".agent-state/$1"
  [[ $count =~ ^[0-9]+$ ]] || count=0
  printf '%s\n' "$count"
}

# Writes the number $2 to a file of the directory .agent-state, which git ignores.
write_count() {
  mkdir -p .agent-state && printf '*\n' >.agent-state/.gitignore && printf '%s\n' "$2" >".agent-state/$1"
}
