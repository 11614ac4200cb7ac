"""The scripts that are measured, each with the same files and variables for everybody."""

from __future__ import annotations

import json
from dataclasses import dataclass, field

from benchmarks.pure import SCRIPTS
from sandhook.utilities import UTILITIES

#: Fields of a payload taken out one by one, as hooks that grew do it.
JQ_LOOP = """\
for i in 1 2 3 4 5 6 7 8 9 10; do
  text=$(jq -r --arg n "$i" '"\\($n): \\(.data.message)"' <<< "$PAYLOAD")
done
echo "${#text}"
"""

#: A published guard of an Everruns bundle: jq takes the message out of the payload, grep looks at it.
GUARD = """\
msg=$(echo "$EVERRUNS_HOOK_PAYLOAD_JSON" | jq -r '.data.message')
if printf '%s' "$msg" | grep -qiE 'BEGIN (RSA|OPENSSH|EC|DSA) PRIVATE KEY'; then
  echo '{"decision":"block","reason":"prompt contains a private key"}'
else
  echo '{}'
fi
"""

PAYLOAD = json.dumps(
    {
        "event": "user_prompt_submit",
        "hook_id": "user:block_secret_prompt",
        "session_id": "ses_test",
        "turn_id": "trn_test",
        "org_id": "org_test",
        "agent_id": None,
        "ts": "2026-05-28T00:00:00Z",
        "data": {"message": "please use this key:\n-----BEGIN RSA PRIVATE KEY-----\nMII...\n"},
    },
    separators=(",", ":"),
)

CASE_GUARD = """\
case "$TOOL_COMMAND" in
  ls*|cat*|grep*|echo*|pwd*) echo '{"decision":"allow"}' ;;
  *"rm -rf"*) echo "refused: $TOOL_COMMAND" >&2; exit 2 ;;
  *) exit 0 ;;
esac
"""


@dataclass(frozen=True)
class Workload:
    """One script.

    Attributes:
        name: What the table calls it.
        script: Text for ``bash -c`` or its like.
        env: Variables besides ``PATH`` and ``LC_ALL=C``.
        files: Contents of files in the working directory, by relative name.
        needs: A utility that it calls and that sandhook may lack; it is then left out.
        rounds: How often it is measured by default (a count).
        pure: It measures the shell language alone.
    """

    name: str
    script: str
    env: dict[str, str] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)
    needs: str = ""
    rounds: int = 200
    pure: bool = False


def lines(count: int) -> str:
    """Return ``count`` lines of 500 different words, in an order that a generator of our own fixes."""
    state = 12_345
    made = []
    for _ in range(count):
        state = (state * 1_103_515_245 + 12_345) % (1 << 31)
        made.append(f"word{(state >> 8) % 500:03}\n")
    return "".join(made)


def workloads(scale: float = 1.0) -> list[Workload]:
    """Return the workloads; ``scale`` shortens their loops and files (1.0 is what is published)."""

    def count(full: int) -> int:
        return max(3, int(full * scale))

    found = [
        Workload("exit 0", "exit 0"),
        Workload("guard: jq and grep", GUARD, {"EVERRUNS_HOOK_PAYLOAD_JSON": PAYLOAD}),
        Workload("ten calls of jq", JQ_LOOP, {"PAYLOAD": PAYLOAD}, needs="jq", rounds=20),
        Workload("guard: case", CASE_GUARD, {"TOOL_COMMAND": "cd /tmp && rm -rf build"}),
        Workload(
            f"while, {count(20_000):,} turns",
            f"i=0; s=0; while [ $i -lt {count(20_000)} ]; do i=$((i+1)); s=$((s+i)); done; echo $s",
            rounds=20,
            pure=True,
        ),
        Workload(
            f"for ((;;)), {count(50_000):,} turns",
            f"s=0; for ((i=0;i<{count(50_000)};i++)); do ((s+=i)); done; echo $s",
            rounds=20,
            pure=True,
        ),
        Workload(
            f"sort, uniq -c, {count(20_000):,} lines",
            "sort words.txt | uniq -c | sort -rn | head -n 5",
            files={"words.txt": lines(count(20_000))},
            rounds=20,
        ),
        Workload(
            f"seq {count(50_000):,} and awk",
            f"seq 1 {count(50_000)} | awk '{{ s += $1 }} END {{ print s }}'",
            needs="awk",
            rounds=20,
        ),
        Workload(
            f"sed and grep -c, {count(20_000):,} lines",
            "sed s/w/b/g words.txt | grep -c b",
            files={"words.txt": lines(count(20_000))},
            needs="sed",
            rounds=20,
        ),
        Workload(
            f"awk: fields, arrays and sub, {count(20_000):,} lines",
            "awk '{ n[$1]++; sub(/word/, \"\"); s += $1 } END { for (w in n) d++; print d, s }' words.txt",
            files={"words.txt": lines(count(20_000))},
            needs="awk",
            rounds=20,
        ),
        Workload(
            f"cut, tr, sort -n and head, {count(20_000):,} lines",
            "cut -c5- words.txt | tr 0-4 5-9 | sort -n | head -n 3",
            files={"words.txt": lines(count(20_000))},
            rounds=20,
        ),
        Workload(
            f"function calls, {count(5_000):,}",
            f'f() {{ local n=$1; r=$((r+n)); }}; r=0; for ((i=0;i<{count(5_000)};i++)); do f "$i"; done; echo $r',
            rounds=20,
            pure=True,
        ),
        Workload(
            f"text expansions, {count(5_000):,}",
            f"p=/srv/app/main.test.py; n=0; for ((i=0;i<{count(5_000)};i++)); do "
            "b=${p##*/}; b=${b%.*}; [[ $b == main* ]] && n=$((n+${#b})); done; echo $n",
            rounds=20,
            pure=True,
        ),
    ]
    for script in SCRIPTS:
        turns = max(script.least, int(script.turns * scale))
        text = script.text.replace("@N@", str(turns))
        found.append(
            Workload(f"{script.name}, {turns:,}", text, files=script.files(turns), rounds=20, pure=True)
        )
    return [workload for workload in found if not workload.needs or workload.needs in UTILITIES]
