"""Workloads in pure shell: loops, functions, expansions, arrays, files. No program is called but cat.

They are where an interpreter's own speed shows. bash should never win one of them by more than noise.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple


class Script(NamedTuple):
    """A workload before it has its files: ``text`` has @N@ where the number of turns stands."""

    name: str
    turns: int
    text: str
    files: Callable[[int], dict[str, str]] = lambda turns: {}
    least: int = 3


def _passwd(turns: int) -> dict[str, str]:
    return {
        "passwd": "".join(f"user{n}:x:{n}:{n % 7}:User {n},,,:/home/user{n}:/bin/sh\n" for n in range(turns))
    }


def _text(turns: int) -> dict[str, str]:
    names = ("alpha", "beta", "gamma", "delta", "epsilon")
    return {"text": "".join(f"{names[n % 5]} {names[n * n % 5]} {n % 11}\n" for n in range(turns))}


FIB = """\
fib() {
  if [ "$1" -lt 2 ]; then echo "$1"; return; fi
  echo $(( $(fib $(($1-1))) + $(fib $(($1-2))) ))
}
fib @N@
"""

FIB_RETURN = """\
fib() {
  local n=$1
  if (( n < 2 )); then r=$n; return 0; fi
  local a
  fib $((n-1)); a=$r
  fib $((n-2)); r=$((a+r))
}
fib @N@; echo $r
"""

CASE = """\
n=0
for ((i=0;i<@N@;i++)); do
  case $((i%8)) in
    0) c='rm -rf /' ;; 1) c='git push --force origin main' ;; 2) c='ls -l /tmp' ;; 3) c='curl http://x | sh' ;;
    4) c='chmod 777 /etc/passwd' ;; 5) c='npm test' ;; 6) c='cat .env.local' ;; *) c='echo done' ;;
  esac
  case "$c" in
    "") ;;
    *"rm -rf /"*|*"rm -fr /"*) n=$((n+1)) ;;
    *mkfs.*|*"dd if="*of=/dev/*) n=$((n+2)) ;;
    "git push"*--force*|"git push"*" -f"*) n=$((n+3)) ;;
    *"chmod 777 "[/.]*) n=$((n+4)) ;;
    *curl*"|"*sh|*wget*"|"*sh) n=$((n+5)) ;;
    *.env|*.env.*|*id_rsa*) n=$((n+6)) ;;
    ls\\ *|cat\\ *|echo\\ *) n=$((n+7)) ;;
    *) n=$((n+8)) ;;
  esac
done
echo $n
"""

BUBBLE = """\
a=(); x=7
for ((i=0;i<@N@;i++)); do x=$(( (x*1103515245+12345) % 2147483648 )); a[i]=$((x%1000)); done
n=${#a[@]}
for ((i=0;i<n;i++)); do
  for ((j=0;j<n-i-1;j++)); do
    if [ ${a[j]} -gt ${a[j+1]} ]; then t=${a[j]}; a[j]=${a[j+1]}; a[j+1]=$t; fi
  done
done
echo "${a[*]}"
"""

QUICK = """\
quick() {
  local lo=$1 hi=$2 i=$1 j=$2 p t
  (( lo >= hi )) && return
  p=${a[(lo+hi)/2]}
  while (( i <= j )); do
    while (( a[i] < p )); do (( i++ )); done
    while (( a[j] > p )); do (( j-- )); done
    if (( i <= j )); then t=${a[i]}; a[i]=${a[j]}; a[j]=$t; (( i++, j-- )); fi
  done
  quick $lo $j
  quick $i $hi
}
a=(); x=7
for ((i=0;i<@N@;i++)); do x=$(( (x*1103515245+12345) % 2147483648 )); a+=($((x%10000))); done
quick 0 $((@N@-1))
echo "${a[*]}"
"""

SIEVE = """\
n=@N@; s=(); count=0
for ((i=2;i<=n;i++)); do
  if [[ -z ${s[i]} ]]; then
    count=$((count+1))
    for ((j=i*i;j<=n;j+=i)); do s[j]=1; done
  fi
done
echo $count
"""

SCRIPTS = (
    Script("nested loops", 100, "n=0; for ((i=0;i<@N@;i++)); do for ((j=0;j<100;j++)); do n=$((n+i*j)); done; done; echo $n"),
    Script("for over words", 30, 'n=0; for a in {1..@N@}; do for b in {1..300}; do n=$((n+b)); done; done; echo $n'),
    Script("string building", 3000, 's=; for ((i=0;i<@N@;i++)); do s+=x; t=${s/xx/y}; u=${t//y/z}; s=${s:0:50}; done; echo "$s $t $u"'),
    Script("fib, command substitution", 12, FIB),
    Script("fib, return in a variable", 14, FIB_RETURN),
    Script("indexed arrays", 5000, 'a=(); for ((i=0;i<@N@;i++)); do a+=($i); done; s=0; for ((i=0;i<${#a[@]};i++)); do s=$((s+a[i])); done; for x in "${a[@]}"; do ((s+=x)); done; for i in "${!a[@]}"; do a[$i]=$((${a[$i]}+1)); done; echo $s ${a[7]} ${#a[@]}', least=10),
    Script("associative arrays", 3000, 'declare -A c; while read -r a b n; do c[$a]=$((${c[$a]}+1)); ((c[$b]++)); done < text; for k in alpha beta gamma delta epsilon; do echo "$k ${c[$k]}"; done', _text),
    Script("while read -r", 10000, "n=0; while read -r line; do n=$((n+${#line})); done < passwd; echo $n", _passwd),
    Script("while IFS=: read -r", 5000, 'n=0; while IFS=: read -r name x uid gid gecos home shell; do [ "$gid" = 3 ] && n=$((n+uid)); done < passwd; echo $n $name $shell', _passwd),
    Script("files", 500, 'mkdir -p d; for ((i=0;i<@N@;i++)); do echo "line $i" > d/f$i; done; n=0; for f in d/*; do a=$(cat "$f"); b=$(<"$f"); read -r c d < "$f"; [[ $a == "$b" && -s $f ]] && n=$((n+d)); done; echo $n'),
    Script("appends to a file", 3000, ': > log; for ((i=0;i<@N@;i++)); do echo "line $i" >> log; done; while read -r a b; do :; done < log; echo $b'),
    Script("case guard", 3000, CASE),
    Script("functions with locals", 4000, 'add() { local a=$1 b=$2; local sum=$((a+b)); r=$sum; return 0; }; r=0; for ((i=0;i<@N@;i++)); do add "$r" "$i" && :; done; echo $r'),
    Script("functions in if", 6000, 'even() { return $(( $1 % 2 )); }; n=0; i=0; while (( i < @N@ )); do if even $i; then n=$((n+1)); fi; i=$((i+1)); done; echo $n'),
    Script("printf -v", 8000, "for ((i=0;i<@N@;i++)); do printf -v x '%05d:%s' $i abc; done; echo $x"),
    Script("printf and echo", 8000, 'for ((i=0;i<@N@;i++)); do printf "%s=%d\\n" "k$i" $i; echo "v $i"; done > out; wc -l < out'),
    Script("[[ =~ ]]", 5000, "re='^([a-z]+)-([0-9]+)\\.log$'; n=0; for ((i=0;i<@N@;i++)); do if [[ file-$i.log =~ $re ]]; then n=$((n+BASH_REMATCH[2])); fi; done; echo $n"),
    Script("[[ == ]]", 10000, 'n=0; for ((i=0;i<@N@;i++)); do [[ $i == *7 || $i == 1* && $i != *0* ]] && ((n++)); done; echo $n'),
    Script("bubble sort", 70, BUBBLE, least=5),
    Script("quick sort", 600, QUICK, least=20),
    Script("characters of a string", 4000, 's=; while [ ${#s} -lt @N@ ]; do s=${s}abcdefghij; done; n=0; for ((i=0;i<${#s};i++)); do c=${s:i:1}; if [ "$c" = e ]; then n=$((n+1)); fi; done; echo $n', least=40),
    Script("here-documents", 2000, 'for ((i=0;i<@N@;i++)); do { read -r a; read -r b; } <<END\nfirst $i\nsecond $a\nEND\ndone; echo "$a $b"'),
    Script("here-strings", 3000, 'for ((i=0;i<@N@;i++)); do read -r a b <<< "key$i value$i"; done; echo "$a $b"'),
    Script("sieve of primes", 5000, SIEVE, least=50),
    Script("path expansions", 5000, 'p=/srv/app/main.test.py; n=0; for ((i=0;i<@N@;i++)); do d=${p%/*}; b=${p##*/}; e=${b##*.}; s=${b%%.*}; u=${s^^}; l=${x:-$u}; n=$((n+${#d}+${#e}+${#l})); done; echo $n'),
    Script("command substitution of builtins", 1500, 'n=0; for ((i=0;i<@N@;i++)); do x=$(echo "$i"); y=$(printf %03d "$i"); n=$((n+x)); done; echo $n $y'),
    Script("subshells", 1500, 'n=0; for ((i=0;i<@N@;i++)); do (n=5; exit 3) || n=$((n+$?)); done; echo $n'),
    Script("set -- and shift", 5000, 'n=0; for ((i=0;i<@N@;i++)); do set -- a b c $i; while [ $# -gt 1 ]; do shift; done; n=$((n+$1)); done; echo $n'),
    Script("read into an array", 3000, 'n=0; while read -ra f; do n=$((n+${#f[@]}+f[2])); done < text; echo $n', _text),
    Script("let, test and ((  ))", 6000, 'i=0; n=0; while test "$i" -lt @N@; do let i+=1; if (( i % 3 == 0 && i % 5 != 0 )); then (( n += i > 100 ? 2 : 1 )); fi; done; echo $n'),
    Script("getopts", 2000, 'n=0; for ((i=0;i<@N@;i++)); do OPTIND=1; while getopts "ab:c" o -a -b x -c; do case $o in a) n=$((n+1));; b) [ "$OPTARG" = x ] && n=$((n+1));; c) n=$((n+2));; esac; done; done; echo $n'),
)  # fmt: skip
