# Files whose first lines are added, if they exist.
NOTES='.agent-context.md CONTRIBUTING.md'

main() {
  local text='' branch changes file
  enter_project || pass
  branch=$(sed -n 's,^ref: refs/heads/,,p' .git/HEAD 2>/dev/null)
  [[ -n $branch ]] && text+="The branch is $branch."$'\n'
  changes=$(git status --short 2>/dev/null | head -n 20)
  [[ -n $changes ]] && text+="Changed files:"$'\n'"$changes"$'\n'
  for file in $NOTES; do
    [[ -s $file ]] && text+="From $file:"$'\n'"$(head -n 40 "$file")"$'\n'
  done
  [[ -z $text ]] || inform "$text"
  pass
}
