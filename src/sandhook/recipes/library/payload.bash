# Fails for an empty payload, in which jq finds no fault.
has_payload() { [[ $payload == *[![:space:]]* ]]; }

# Prints the command line of the tool call; fails if the payload has none.
shell_text() {
  has_payload || return 1
  jq -er '@INPUT@ | if type == "object" then .command // .cmd // .CommandLine // .script // null else . end
    | if type == "array" then map(tostring | @sh) | join(" ") elif type == "string" then . else null end' \
    <<<"$payload"
}

# Prints the name of the tool.
tool_name() { jq -r '@TOOL@ // ""' <<<"$payload"; }

# Prints the paths of the tool call, one on a line: of arguments with the usual names, and of patches.
file_paths() {
  has_payload || return 1
  jq -r '@INPUT@ | [.. | objects | (.file_path, .path, .filePath, .file, .filename, .notebook_path,
      .absolute_path, .target_file, .TargetFile, .AbsolutePath) | strings]
    + [.. | strings | split("\n")[] | select(test("^[*]{3} ((Add|Update|Delete) File|Move to): ")) | sub("^[^:]*: "; "")]
    | unique[]' <<<"$payload"
}

# Prints all texts of the tool call, and the names of its arguments.
input_text() { has_payload && jq -r '@INPUT@ | .. | strings, (objects | keys[])' <<<"$payload"; }

# Prints all texts of the result.
output_text() { has_payload && jq -r '@RESULT@ | .. | strings' <<<"$payload"; }

# Prints the tool call as one JSON value.
input_json() { jq -c '@INPUT@' <<<"$payload"; }

# Prints the prompt.
prompt_text() { has_payload && jq -er '@PROMPT@ | strings' <<<"$payload"; }

# Prints the id of the session, as a part of a file name.
session_id() { has_payload && jq -r '@SESSION@ // "none" | tostring | gsub("[^A-Za-z0-9_-]"; "_")' <<<"$payload"; }

# Goes to the directory of the project.
enter_project() { cd @PROJECT@; }

# Prints the sum of the output tokens in the transcript; 0 where the agent has no such transcript.
output_tokens() {
  local transcript
  transcript=$(jq -r '@TRANSCRIPT@ // "" | strings' <<<"$payload")
  [[ -f $transcript ]] || { echo 0; return; }
  jq -Rn '[inputs | fromjson? | .message?.usage?.output_tokens? | numbers] | add // 0' "$transcript"
}
