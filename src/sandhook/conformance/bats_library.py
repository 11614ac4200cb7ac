"""The shell text that runs a bats file: the functions that tests call, and the loop over the tests.

``DRIVER`` runs on every shell under test, real or sandboxed, and writes one line for each fact:

    begin K             test K of the selection starts
    | TEXT              a line of its output: standard output, standard error and descriptors 3 and 4
    ! TEXT              a line about its failure
    skip TEXT           it is skipped, for this reason
    end K STATUS        it ended
    file WORD           setup_suite, source, setup_file, teardown_file or teardown_suite failed
    skip-file TEXT      setup_file skipped all tests

Facts are those of bats-core 1.13: https://bats-core.readthedocs.io.
"""

#: The release of bats-core whose rules ``LIBRARY`` follows; BATS_VERSION has it.
VERSION = "1.13.0"

#: Functions that tests call, and those that note where a test failed.
LIBRARY = r"""
bats_version_reaches() { # WANTED
  local -a have want
  local i
  IFS=. read -ra have <<< "$BATS_VERSION"
  IFS=. read -ra want <<< "$1"
  for i in 0 1 2; do
    (( ${have[i]:-0} > ${want[i]:-0} )) && return 0
    (( ${have[i]:-0} < ${want[i]:-0} )) && return 1
  done
  return 0
}

bats_require_minimum_version() { # VERSION
  if [[ ! $1 =~ ^[0-9]+(\.[0-9]+)*$ ]]; then
    printf 'bats_require_minimum_version: %s is not a version\n' "$1" >&2
    exit 1
  fi
  if ! bats_version_reaches "$1"; then
    printf 'bats_require_minimum_version: the file needs bats %s, this runner follows bats %s\n' \
      "$1" "$BATS_VERSION" >&2
    exit 1
  fi
  BATS_GUARANTEED_MINIMUM_VERSION=$1
}

bats_load_safe() { # FILE
  local file=${1:?}
  [[ $file == /* ]] || file=$BATS_TEST_DIRNAME/$file
  if [[ -f $file.bash ]]; then
    source "$file.bash"
  elif [[ -f $file ]]; then
    source "$file"
  elif [[ ! -f $1 ]] && type -P "$1" > /dev/null; then
    source "$1"
  else
    printf "bats_load_safe: Could not find '%s'[.bash]\n" "$file" >&2
    return 1
  fi
}

load() { bats_load_safe "$@" || exit 1; }
load_safe() { bats_load_safe "$@"; }

bats_load_library_safe() { # NAME
  local name=${1:?} directory file
  local -a directories
  if [[ $name == /* ]]; then
    directories=('')
  else
    IFS=: read -ra directories <<< "${BATS_LIB_PATH-}"
    directories=("${directories[@]/%//}")
  fi
  for directory in "${directories[@]}"; do
    for file in "$directory$name" "$directory$name/load.bash"; do
      if [[ -f $file ]]; then
        source "$file"
        return
      fi
    done
  done
  printf "bats_load_library_safe: Could not find library '%s' in BATS_LIB_PATH (%s)\n" "$name" \
    "${BATS_LIB_PATH-}" >&2
  return 1
}

bats_load_library() { bats_load_library_safe "$@" || exit 1; }

bats_run_merged() { "$@" 2>&1; }
bats_run_separate() { "$@" 2>> "$bats_stderr_file"; }

bats_lines() { # ARRAY VARIABLE
  local text=${!2} line
  local -a found=()
  if [[ $keep_empty_lines ]]; then
    if [[ $text ]]; then
      while IFS= read -r line; do found+=("$line"); done <<< "${text%$'\n'}"
    fi
  else
    while IFS= read -r line; do
      [[ $line ]] && found+=("$line")
    done <<< "$text"
  fi
  eval "$1=(\"\${found[@]}\")"
}

run() { # [! | -N] [--keep-empty-lines] [--separate-stderr] [--] COMMAND...
  local expected= keep_empty_lines= wrapper=bats_run_merged bats_stderr_file= bats_flags=${-//[cis]/}
  while [[ $# -gt 0 && ( $1 == -* || $1 == '!' ) ]]; do
    case $1 in
    '!') expected='!' ;;
    -[0-9]*)
      expected=${1#-}
      if [[ $expected =~ [^0-9] ]]; then
        printf "Usage error: run: '-NNN' requires numeric NNN (got: %s)\n" "$expected" >&2
        return 1
      elif (( 10#$expected > 255 )); then
        printf "Usage error: run: '-NNN': NNN must be <= 255 (got: %d)\n" "$expected" >&2
        return 1
      fi
      ;;
    --keep-empty-lines) keep_empty_lines=1 ;;
    --separate-stderr) wrapper=bats_run_separate ;;
    --) shift; break ;;
    *)
      printf "Usage error: unknown flag '%s'" "$1" >&2
      return 1
      ;;
    esac
    shift
  done
  [[ $wrapper == bats_run_separate ]] && bats_stderr_file=$(mktemp "${BATS_TEST_TMPDIR:-$BATS_FILE_TMPDIR}/stderr-XXXXXX")
  set +eET
  if [[ $keep_empty_lines ]]; then
    output=$("$wrapper" "$@"; status=$?; printf .; exit "$status") && status=0 || status=$?
    output=${output%.}
  else
    output=$("$wrapper" "$@") && status=0 || status=$?
  fi
  bats_lines lines output
  if [[ $bats_stderr_file ]]; then
    read -d '' -r stderr < "$bats_stderr_file"
    bats_lines stderr_lines stderr
  else
    unset stderr stderr_lines
  fi
  BATS_RUN_COMMAND="$*"
  set "-$bats_flags"
  bats_note=
  if [[ $expected == '!' ]]; then
    (( status != 0 )) || bats_note=', expected nonzero exit code!'
  elif [[ $expected ]] && (( status != 10#$expected )); then
    bats_note=", expected exit code $expected, got $status"
  fi
  if [[ $bats_note || ${BATS_VERBOSE_RUN-} ]]; then
    [[ ! $output ]] || printf '%s\n' "$output"
    [[ ! $bats_stderr_file || ! $stderr ]] || printf 'stderr:\n%s\n' "$stderr"
  fi
  [[ ! $bats_note ]]
}

bats_pipe() { # [-N | --returned-status N] [--] COMMAND... \| COMMAND...
  local position= word text= last='|' pipes=0 i
  local -a results
  while [[ $# -gt 0 && $1 == -* ]]; do
    case $1 in
    -[0-9]*) position=${1#-} ;;
    --returned-status=*) position=${1#*=} ;;
    --returned-status) position=$2; shift ;;
    --) shift; break ;;
    *) printf "Usage error: unknown flag '%s'" "$1" >&2; return 1 ;;
    esac
    shift
  done
  for word; do
    if [[ $word != '|' ]]; then
      printf -v text '%s %q' "$text" "$word"
    elif [[ $last == '|' ]]; then
      printf 'Usage error: a pipe of bats_pipe has no command before it\n' >&2
      return 1
    else
      text+=' |'
      pipes=$((pipes + 1))
    fi
    last=$word
  done
  if (( pipes == 0 )) || [[ $last == '|' ]]; then
    printf 'Usage error: bats_pipe needs commands with \\| between them\n' >&2
    return 1
  fi
  if [[ $position ]] && (( position > pipes || -position > pipes + 1 )); then
    printf "Usage error: Too large of -N argument (or --returned-status) given. Argument value: '%s'.\n" \
      "$position" >&2
    return 1
  fi
  eval "$text"'; results=("${PIPESTATUS[@]}")'
  [[ $position ]] && return "${results[position]}"
  for (( i = pipes; i >= 0; i-- )); do
    (( results[i] == 0 )) || return "${results[i]}"
  done
  return 0
}

setup() { :; }
teardown() { :; }
setup_file() { :; }
teardown_file() { :; }
setup_suite() { :; }
teardown_suite() { :; }
bats::on_failure() { :; }

bats_finish_skipped_teardown() {
  bats_teardown_completed=1
  [[ $bats_in_teardown != trap ]] || bats_finish
}

skip() { # [REASON]
  if [[ ${bats_in_teardown-} ]]; then
    bats_finish_skipped_teardown
  else
    bats_skipped=${1-}
    bats_is_skipped=1
    bats_completed=1
  fi
  exit 0
}

bats_test_function() { # --description TEXT --tags TEXT -- FUNCTION
  BATS_TEST_NAMES+=("$6")
  [[ $6 == "${BATS_TEST_NAME-}" ]] || return 0
  local description
  eval "printf -v description %s \"$2\""
  export BATS_TEST_DESCRIPTION=$description
  IFS=, read -ra BATS_TEST_TAGS <<< "$4"
}

bats_place() { # FILE LINE
  local file=$1 text
  local -a found
  [[ $file != "$BATS_TEST_SOURCE" ]] || file=$BATS_TEST_FILENAME
  mapfile -t -s "$(($2 - 1))" -n 1 found < "$file"
  text=${found[0]-}
  text=${text%$'\r'}
  text=${text#"${text%%[![:space:]]*}"}
  printf '%s:%s: %s' "${file#"$REPO_ROOT/"}" "$2" "$text"
}

bats_on_error() { # STATUS
  local i
  bats_error_status=$1
  bats_trace=()
  for (( i = 1; i < ${#FUNCNAME[@]}; i++ )); do
    [[ ${BASH_SOURCE[i]-} != "$BATS_SANDHOOK" && ${BASH_SOURCE[i]-} ]] || continue
    bats_trace+=("${BASH_SOURCE[i]}" "${BASH_LINENO[i - 1]}")
  done
}

bats_report_error() {
  local i head=
  for (( i = 0; i + 1 < ${#bats_trace[@]}; i += 2 )); do
    [[ -r ${bats_trace[i]} && ${bats_trace[i + 1]} -gt 0 ]] || continue
    if [[ $head ]]; then
      printf '  called at %s\n' "$(bats_place "${bats_trace[@]:i:2}")"
    else
      head=1
      printf '%s: status %s%s\n' "$(bats_place "${bats_trace[@]:i:2}")" "$bats_error_status" "${bats_note-}"
    fi
  done
  [[ $head ]] || printf '%s with status %s\n' "$1" "${bats_error_status:-$bats_exit_status}"
}
"""

#: Runs one test in a shell of its own, after ``LIBRARY``.
ONE_TEST = r"""
bats_teardown() { # [trap]
  bats_exit_status=$?
  local status=0
  bats_in_teardown=${1:-1}
  if [[ $1 == trap && ! ${bats_completed-} ]]; then
    bats_failed_before=1
    BATS_ERROR_STATUS=${bats_error_status:-$bats_exit_status}
    bats::on_failure "$BATS_ERROR_STATUS" || :
  fi
  teardown || status=$?
  if (( status == 0 )); then
    bats_teardown_completed=1
  elif [[ ${bats_completed-} ]]; then
    bats_error_status=$status
  fi
  bats_finish
}

bats_finish() {
  trap - ERR EXIT TERM
  if [[ ! ${bats_completed-} || ! ${bats_teardown_completed-} ]]; then
    if (( bats_try <= ${BATS_TEST_RETRIES:-0} )); then
      rm -rf "$BATS_TEST_TMPDIR"
      exit 126
    fi
    if [[ ${bats_timed_out-} ]]; then
      printf 'timeout after %ss\n' "$BATS_TEST_TIMEOUT"
    elif [[ ${bats_failed_before-} ]]; then
      bats_report_error 'the test ended itself'
    else
      bats_report_error 'teardown failed'
    fi >> "$bats_result"
    exit 1
  fi
  [[ ! ${bats_is_skipped-} ]] || printf '%s\n' "${bats_skipped//$'\n'/ }" > "$bats_result.skip"
  : > "$bats_result.ok"
  exit 0
}

bats_perform() {
  trap 'bats_on_error "$?"' ERR
  trap 'bats_teardown trap' EXIT
  [[ ! ${BATS_TEST_TIMEOUT-} ]] || trap 'bats_timed_out=1; exit 1' TERM
  [[ ! ${BATS_TEST_SKIPPED-} ]] || setup() { skip "$BATS_TEST_SKIPPED"; }
  set -eET
  setup
  "$BATS_TEST_NAME"
  bats_completed=1
  trap bats_finish EXIT
  bats_teardown ''
}

bats_result=$1 bats_try=$2
exec 3>&1 4>&1
bats_trace=() bats_error_status= bats_note= bats_completed= bats_teardown_completed= bats_in_teardown=
BATS_TEST_NAMES=() BATS_TEST_TAGS=()
mkdir "$BATS_TEST_TMPDIR"
set -eET
source "$BATS_TEST_SOURCE"
bats_perform
"""

#: Runs the selected tests of a file: TESTS has three words for each, its place, its function and its number.
DRIVER = r"""
bats_facts() { # PREFIX FILE
  local line
  [[ -f $2 ]] || return 0
  while IFS= read -r line || [[ $line ]]; do printf '%s %s\n' "$1" "$line"; done < "$2" >&"$bats_out"
}

bats_fail_file() { # WORD
  trap - EXIT ERR
  printf 'file %s\n' "$1" >&"$bats_out"
  bats_facts '|' "$bats_log"
  bats_report_error "$1 failed" > "$bats_log.place"
  bats_facts '!' "$bats_log.place"
}

bats_file_exit() {
  bats_exit_status=$?
  if [[ ${bats_is_skipped-} ]]; then
    printf 'skip-file %s\n' "${bats_skipped//$'\n'/ }" >&"$bats_out"
    export BATS_TEST_SKIPPED=${bats_skipped:-1}
    trap - EXIT ERR
  else
    bats_fail_file "$bats_stage"
    teardown_file > /dev/null 2>&1
  fi
  exit 0
}

bats_run_test() { # PLACE FUNCTION NUMBER
  local status=126 try
  local -a command=(bash)
  export BATS_TEST_NAME=$2 BATS_TEST_NUMBER=$3 BATS_SUITE_TEST_NUMBER=$3
  export BATS_TEST_TMPDIR=$BATS_RUN_TMPDIR/test/$3
  [[ ! ${BATS_TEST_TIMEOUT-} ]] || command=(timeout "$BATS_TEST_TIMEOUT" bash)
  printf 'begin %s\n' "$1" >&"$bats_out"
  for (( try = 1; status == 126; try++ )); do
    : > "$bats_log"
    status=0
    "${command[@]}" "$BATS_SANDHOOK" "$bats_log.place" "$try" >> "$bats_log" 2>&1 {bats_out}>&- || status=$?
  done
  if [[ $status == 0 && ! -f $bats_log.place.ok ]]; then # exit in teardown, or another EXIT trap
    status=1
    printf 'the test ended without a result\n' > "$bats_log.place"
  fi
  bats_facts '|' "$bats_log"
  bats_facts '!' "$bats_log.place"
  bats_facts skip "$bats_log.place.skip"
  rm -f "$bats_log".*
  printf 'end %s %s\n' "$1" "$status" >&"$bats_out"
}

export BATS_RUN_TMPDIR=$TMP/bats-run BATS_TMPDIR=$TMP BATS_VERSION BATS_CWD=$REPO_ROOT
export BATS_SUITE_TMPDIR=$BATS_RUN_TMPDIR/suite BATS_FILE_TMPDIR=$BATS_RUN_TMPDIR/file/1
export BATS_TEST_DIRNAME=${BATS_TEST_FILENAME%/*} BATS_TEST_FILENAME BATS_LIB_PATH=${BATS_LIB_PATH-/usr/lib/bats}
export BATS_SANDHOOK=$BATS_RUN_TMPDIR/functions BATS_TEST_SOURCE=$BATS_RUN_TMPDIR/1-${BATS_TEST_FILENAME##*/}.src
bats_log=$BATS_RUN_TMPDIR/log bats_trace=() bats_error_status= bats_note= bats_stage=source BATS_TEST_NAMES=()
exec {bats_out}>&1
cd "$REPO_ROOT"
mkdir -p "$BATS_SUITE_TMPDIR" "$BATS_FILE_TMPDIR" "$BATS_RUN_TMPDIR/test"
printf '%s%s' "$bats_library" "$bats_one_test" > "$BATS_SANDHOOK"
mapfile -t bats_text < "$BATS_TEST_FILENAME"
for bats_line in "${!bats_replacements[@]}"; do bats_text[bats_line]=${bats_replacements[bats_line]}; done
printf '%s\n' "${bats_text[@]//$'\r'/}" > "$BATS_TEST_SOURCE"
unset bats_text bats_replacements bats_one_test bats_line
eval "$bats_library"
unset bats_library
trap 'bats_on_error "$?"' ERR
trap bats_file_exit EXIT
set -eET
exec 3>> "$bats_log" 4>&3
if [[ -f $BATS_TEST_DIRNAME/setup_suite.bash ]]; then
  bats_stage=setup_suite
  source "$BATS_TEST_DIRNAME/setup_suite.bash" >> "$bats_log" 2>&1
  setup_suite >> "$bats_log" 2>&1
fi
bats_stage=source
source "$BATS_TEST_SOURCE" >> "$bats_log" 2>&1
bats_stage=setup_file
setup_file >> "$bats_log" 2>&1
set +eET
trap - ERR EXIT
for (( bats_at = 0; bats_at < ${#bats_tests[@]}; bats_at += 3 )); do bats_run_test "${bats_tests[@]:bats_at:3}"; done
: > "$bats_log"
bats_status=0
teardown_file >> "$bats_log" 2>&1 || bats_status=$?
(( bats_status == 0 )) || { bats_error_status=$bats_status; bats_fail_file teardown_file; }
: > "$bats_log"
bats_status=0
teardown_suite >> "$bats_log" 2>&1 || bats_status=$?
(( bats_status == 0 )) || { bats_error_status=$bats_status; bats_fail_file teardown_suite; }
exit 0
"""
