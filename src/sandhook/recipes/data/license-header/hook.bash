# An expression of grep -E that the first lines of every source file match, and what to write.
HEADER='SPDX-License-Identifier:|Copyright'
EXAMPLE='SPDX-License-Identifier: MIT'

main() {
  local path missing=''
  enter_project || pass
  while IFS= read -r path; do
    case $path in
      *.py | *.js | *.jsx | *.ts | *.tsx | *.go | *.rs | *.c | *.h | *.cc | *.cpp | *.hpp | *.java | *.kt | *.rb | *.sh)
        [[ -s $path ]] && ! head -n 15 -- "$path" | grep -Eq -e "$HEADER" && missing+=" $path"
        ;;
    esac
  done < <(file_paths)
  [[ -z $missing ]] || inform "These files lack the license header:$missing. Add a comment with \"$EXAMPLE\" at the top."
  pass
}
