"""How the utilities are called on a large input ``f``: the options that make each of them work."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sandhook.utilities import names


def _repeated(piece: bytes) -> Callable[[int], bytes]:
    return lambda size: (piece * (size // len(piece) + 1))[:size]


#: What an input looks like, each a function of its size in bytes.
SHAPES: Mapping[str, Callable[[int], bytes]] = {
    "one line": _repeated(b"a b,c\t"),
    "lines": _repeated(b"a b,c\n"),
    "empty lines": _repeated(b"\n"),
    "digits": _repeated(b"9"),
    "binary": _repeated(b"\001"),
    "zeros": _repeated(b"\0"),
    "brackets": _repeated(b"["),
    "backslashes": _repeated(b"\\1\\\n"),
    "conversions": _repeated(b"%s%("),
    "returns": _repeated(b"\r"),
    "versions": _repeated(b"a1."),
    "long lines": _repeated(b"x" * 99_999 + b"\n"),
    "different lines": lambda size: b"".join(
        b"%d 1:%d\n" % (n * 7919 % 1_000_003, n) for n in range(size // 14)
    ),
}

#: Not yes and similar ones, whose input plays no part; not those that wait for a signal or run another command.
_WITHOUT_INPUT = frozenset("sleep usleep yes pkill killall kill watch".split())

_OPERAND = ("f",)

#: Arguments for which "f" is the large file, "g" another of the same content, and "small" a short one.
USES: Mapping[str, tuple[str, ...]] = {
    "ar": ("rc new.a f", "p f"),
    "awk": (
        "'{ print $1, NF }' f", "'{ n = split($0, a, \"\") } END { print n }' f", "'{ split($0, a, / /) }' f",
        "'{ gsub(/./, \"xy\") } 1' f", "'{ x = x toupper($0) } END { print length(x) }' f", "-F, '{ $2 = 1 } 1' f",
        "-v FPAT=. '{ print NF }' f", "-v FS= '{ print NF }' f", "-v RS=. 'END { print NR }' f", "'{ a[$0]++ } END { for (k in a) print k }' f",
        "'BEGIN { while ((getline x[n++] < \"f\") > 0); }'", "'{ x = $0; for (i = 0; i < 1000; i++) y = toupper(x) }' f",
        "'{ for (i = 0; i < 1000; i++) y = substr($0, 2) }' f", "'{ for (i = 0; i < 1000; i++) n += index($0, \"zz\") }' f",
        "'{ for (i = 0; i < 1000; i++) n += match($0, /zz$/) }' f", "'{ for (i = 0; i < 100; i++) y = sprintf(\"%s%s\", $0, i) }' f",
        "'{ print $0 + 1 }' f", "-v RS=, '{ $3 = \"x\"; print }' f", "--csv '{ print NF }' f", "'{ $0 = toupper($0); print }' f",
        "'{ a[NR] = $0 } END { n = asort(a); print n }' f", "'{ printf \"%d %x\\n\", $0, $0 }' f", "-f f small",
        "'{ print gensub(/a/, \"b\", \"g\") }' f", "'{ print length($0), strtonum($0) }' f", "-v FIELDWIDTHS='1 2 3' '{ print $2 }' f",
    ),
    "b2sum": ("f", "-c f"),
    "base32": ("f", "-d f", "-d -i f", "-w 1 f"),
    "base64": ("f", "-d f", "-d -i f", "-w 1 f", "-w 0 f"),
    "basenc": ("--base16 f", "--base2msbf f", "--z85 f", "--base16 -d -i f", "--base2msbf -w 1 f"),
    "bc": ("f", "-l f"),
    "busybox": ("cat f", "sed l f"),
    "bzip2": ("-c f", "-dc f"),
    "cat": ("f", "-A f", "-n f", "-v f", "-s f", "-bE f", "-T f"),
    "cal": ("f",),
    "chronic": ("cat f",),
    "cmp": ("f small", "-l f h", "-b f g", "-l f f"),
    "col": ("f", "-b f", "-x f"),
    "colrm": ("2 3 < f",),
    "column": ("f", "-t f", "-t -s , f", "-x f", "-J -t -N a,b,c f"),
    "comm": ("f g", "f small", "--nocheck-order f h"),
    "combine": ("f and g", "f xor small", "f or h"),
    "cp": ("f new",),
    "cpio": ("-o <<< f", "-i < f", "-t < f"),
    "csplit": ("f 10", "f /a/ '{*}'", "-n 1 f 1"),
    "csv": ("f",),
    "csvcut": ("-c 1 f",), "csvformat": ("-T f",), "csvgrep": ("-c 1 -m a f",), "csvjoin": ("-c 1 f g",), "csvjson": ("f",),
    "csvlook": ("f",), "csvsort": ("-c 1 f",), "csvstack": ("f g",),
    "curl": ("file:///f", "-K f"),
    "cut": ("-c 2-3 f", "-d , -f 2 f", "-b 1,3-9 f", "-d ' ' -f 1-9 --output-delimiter=xx f", "-c 1- --output-delimiter=x f",
            "--complement -c 2 f", "-zf 1 f"),
    "date": ("-f f", "-d \"$x\"", "\"+$x\""),
    "dc": ("f", "-e '?p'"),
    "dd": ("if=f of=/dev/null bs=1", "if=f of=new bs=3 conv=swab,ucase", "if=f of=/dev/null bs=8M", "if=f of=/dev/null cbs=3 conv=block",
           "if=f cbs=1 conv=unblock of=/dev/null"),
    "diff": ("f small", "f g", "f h", "-u f h", "-y f h", "-w f h", "--minimal f h", "-e f h", "-a f h", "-D x f h"),
    "diff3": ("f g h", "-m f small h"),
    "dircolors": ("-b f",),
    "dos2unix": ("-n f new", "-i f"),
    "unix2dos": ("-n f new",), "mac2unix": ("-n f new",), "unix2mac": ("-n f new",),
    "echo": ("\"$x\"", "-e \"$x\""),
    "ed": ("-s f <<< ,p", "-s f <<< $'1,$s/a/b/g\\n,n\\nw new'", "-s small < f", "-s f <<< ,l", "-s f <<< g/a/d"),
    "env": ("-S \"$x\"",),
    "envsubst": ("< f",),
    "expand": ("f", "-t 1 f", "-t 1000 f", "-i f"),
    "expr": ("\"$x\" : '.*'", "length \"$x\"", "\"$x\" + 1", "substr \"$x\" 2 9999999", "index \"$x\" zq", "\"$x\" : '\\(a*\\)*b'", "\"$x\" \\< \"$x\""),
    "factor": ("< f", "\"$x\""),
    "file": ("f", "-f f", "f g h"),
    "find": ("f -size +1c", ". -name \"$x\"", ". -printf \"$x\"", ". -regex \"$x\"", "-files0-from f"),
    "fmt": ("f", "-w 10 f", "-s f", "-u f", "-c f"),
    "fold": ("f", "-w 1 f", "-s f", "-w 3 -s f", "-b f", "-w 3 f"),
    "getopt": ("abc \"$x\"", "-o \"$x\" a", "-- a $x"),
    "gettext": ("\"$x\"", "-e \"$x\""), "ngettext": ("\"$x\" b 1",),
    "grep": (
        "a f", "-v a f", "-c zz f", "-o . f", "-n b f", "-P 'a(?=b)' f", "-P '(a+)+$' f", "-P '(?R)' f", "-P '((?1)a|a)' f", "-F a f",
        "-w b f", "-i -o A f", "-E '(a|b)*c$' f", "-f f small", "-Ff f small", "-Ff f f", "-x -e a f", "-bo 9 f", "-A 2 -B 2 b f", "-z a f", "--color=always a f",
        "-e \"$x\" small", "-Fe \"$x\" small", "-Pe \"$x\" small", "-E '\\(a*\\)\\1' f", "'\\(.*\\)\\1' f", "-Pzo '(?s).*?b' f", "-aP '\\d+' f",
        "-P '^(.*,)*$' f",
    ),
    "gunzip": ("-c f",),
    "gzip": ("-c f", "-9c f", "-dc f", "-l f"),
    "hd": ("f",),
    "head": ("-n 99999999 f", "-c 9999999 f", "-n -1 f", "-c -1 f", "-n -99999999 f"),
    "hexdump": ("f", "-C f", "-v f", "-vC f", "-v -e '1/1 \"%d \"' f", "-vc f", "-vb f", "-e \"$x\" f", "-vd f"),
    "iconv": ("-f latin1 -t utf-16 f", "-f utf-8 -t utf-32 f", "-c -f utf-8 -t ascii//TRANSLIT f", "-f utf-16 -t utf-8 -c f"),
    "ifne": ("cat f",),
    "isutf8": ("f",),
    "join": ("f g", "f small", "-t , f g", "-a 1 -a 2 f h"),
    "jq": (". f", "-R . f", "-s . f", "-Rs length f", "-c --stream . f", "-n '[inputs]' f", "--seq . f", "-f f small", "\"$x\" small"),
    "less": ("f", "-N f"),
    "locale": ("\"$x\"",),
    "logger": ("-s < f", "-s \"$x\""),
    "look": ("a f", "9 f"),
    "more": ("f", "-s f"),
    "mv": ("f new",),
    "nl": ("f", "-ba f", "-b pa f", "-s \"$x\" small"),
    "nohup": ("cat f",), "nice": ("cat f",), "stdbuf": ("-o0 cat f",), "setsid": ("cat f",), "time": ("cat f",), "timeout": ("9 cat f",),
    "numfmt": ("--to=iec < f", "--from=auto --to=si < f", "\"$x\"", "--field=- --grouping < f", "-d , --field 1-9 < f", "--format \"$x\" 1"),
    "od": ("f", "-c f", "-An -vtx1 f", "-vtf8 f", "-vta f", "-vtd1 -w1 f", "-S 3 f", "-vtfL f"),
    "openssl": (
        "dgst f", "enc -base64 -in f", "base64 -d -in f", "enc -aes-256-cbc -pass pass:x -pbkdf2 -in f", "md5 f", "sha256 -hmac x f",
        "base64 -A -in f", "base64 -d -A -in f",
    ),
    "parallel": ("echo < f", "-a f echo", "-X echo < f", "--pipe cat < f", "echo ::: \"$x\"", "-N 3 echo < f"),
    "paste": ("f g", "-s f", "-d , f g h", "-s -d xy f", "f f f f f f"),
    "patch": ("small f", "f small", "--dry-run f g", "-i f small"),
    "pee": ("cat cat < f",),
    "pr": ("f", "-2 f", "-t -9 f", "-m f g", "-n f", "-t -e f", "-v f", "-a -3 f"),
    "printenv": ("\"$x\"",),
    "printf": ("%s \"$x\"", "%b \"$x\"", "%q \"$x\"", "%d \"$x\"", "\"$x\"", "'%(%c)T' \"$x\"", "%x \"$x\"", "%f \"$x\"", "%9999999s \"$x\"", "\"%($x)T\""),
    "rename": ("s/a/b/ \"$x\"", "\"$x\" small"),
    "rename.ul": ("a b \"$x\"",),
    "rev": ("f", "-0 f"),
    "rg": ("a f", "-v a f", "-c zz f", "-o . f", "-P 'a(?=b)' f", "-P '(a+)+$' f", "-F a f", "-w b f", "--json a f", "-f f small", "-r xyz a f",
           "-U 'a[^z]*b' f", "-e \"$x\" small", "--column -b 9 f", "--color always a f", "-A 2 -B 2 b f"),
    "sdiff": ("f g", "f h", "-s f h"),
    "sed": (
        "l f", "'l 1' f", "y/a/b/ f", "s/a/xyz/g f", "'s/\\(.\\)/\\1\\1/g' f", "s/b/n/400000 f", "-n '$p' f", "'$!N;P;D' f", "':a;N;$!ba;s/\\n/x/g' f",
        "G f", "-n 'H;${x;p}' f", "1~2d f", "-E 's/(a*)*b/x/' f", "= f", "-z s/a/b/g f", "-s w/dev/null f", "-f f small", "\"$x\" small",
        "-E 's/.*/\\U&/' f", "a\\\"$x\" small", "\"s/a/$x/\" small", "-n '/a/,/b/p' f", "'s/x*/-/g' f", "\"y/abc/xyz/\" f", "':a;s/^\\(x*\\)a/\\1b/;ta' f",
        "':a;s/a/b/;ta' f", "'h;:a;G;s/x/y/;ba' small", "-i s/a/b/ f", "--debug p f", "-n '/\\(.*\\)b\\1/p' f", "s/9/8/w/dev/stdout f", "'i x' f", "R\\ f f",
    ),
    "seq": ("9999999", "-s \"$x\" 9999999", "-f \"$x\" 9", "-w 9999999", "0 .001 99999", "\"$x\""),
    "shuf": ("f", "-n 9 f", "-e $x", "-r f", "-i 1-9999999", "-ze $x"),
    "shred": ("-n 1 f", "-n 99 f"),
    "sort": (
        "f", "-n f", "-R f", "-V f", "-h f", "-g f", "-M f", "-u f", "-k 2 f", "-t , -k 2n f", "-r f", "-f f", "-d f", "-c f", "-m f g h", "-z f",
        "-s -k 1.2,1.3 f", "--debug f", "-i f", "-k 1,1V -k 2,2g f", "--parallel=2 -S 1M f", "-b f", "--files0-from=f", "-o f f",
    ),
    "split": ("-n 3 f", "-b 100000 f", "-l 100000 f", "-C 100000 f", "-n l/3 f", "-n r/3 f", "--filter='cat > /dev/null' -l 99999 f", "-t , -l 99999 f", "-n r/1/3 f"),
    "sponge": ("new < f", "< f"),
    "sqlite3": (":memory: \".import f t\"", ":memory: < f", "f .tables", ":memory: \"$x\"", ":memory: \".read f\"", ":memory: \"select '$x'\""),
    "strings": ("f", "-n 1 f", "-t d f", "-e l f"),
    "tac": ("f", "-b f", "-s , f", "-r -s . f", "-s \"$x\" small"),
    "tail": ("-n 999999 f", "-c 9999999 f", "-n +2 f", "-c +2 f", "-n 1 f", "-zn 2 f"),
    "tar": ("-c f", "-czf new f", "-cJf new f", "-t -f f", "-xf f", "-cjf new f", "-T f -cf new", "-xzf f", "-c -X f small"),
    "tee": ("new < f", "/dev/null /dev/null < f"),
    "test": ("\"$x\" -eq 1", "\"$x\" = \"$x\"", "$x", "-v \"$x\""),
    "[": ("\"$x\" -eq 1 ]",),
    "tomlq": (". f", "-t . f"),
    "tput": ("-S < f", "cup \"$x\" 1"),
    "tr": ("a-z A-Z < f", "-d a < f", "-s ab < f", "-cd a < f", "-cs a b < f", "\"$x\" x < small", "'[:lower:]' '[:upper:]' < f"),
    "ts": ("< f", "-s < f", "-i < f", "\"$x\" < small"),
    "tsort": ("f",),
    "unexpand": ("f", "-a f", "-t 1 f"),
    "uniq": ("f", "-c f", "-d f", "-i f", "-f 1 f", "-s 1 f", "-D f", "--group f", "-w 1 f", "-zc f"),
    "unzip": ("f", "-l f", "-p f"),
    "uudecode": ("f",),
    "uuencode": ("f x", "-m f x"),
    "wc": ("f", "-l f", "-w f", "-m f", "-L f", "-c f", "--files0-from=f"),
    "wget": ("-i f",),
    "xargs": ("echo < f", "-n 1 echo < f", "-I @ echo @ < f", "-0 echo < f", "-d , echo < f", "-L 1 echo < f", "-a f true"),
    "xxd": ("f", "-p f", "-r f", "-r -p f", "-i f", "-b f", "-c 1 f", "-e f", "-u -c 256 f"),
    "xz": ("-c f", "-0c f", "-9ec f", "-dc f", "-l f", "--format=lzma -c f"),
    "yq": (". f", "-y . f", "-p json . f", "-p xml . f", "-p toml . f", "-p csv . f", "-o json . f", "-p ini . f", "-i . f", "\"$x\" small", "-p props . f"),
    "zdiff": ("f h",), "zcmp": ("f g",),
    "zgrep": ("a f",),
    "zip": ("new f", "-9 new f", "-0 - f", "-@ new < f"),
    "zipinfo": ("f",),
}  # fmt: skip


def uses() -> list[str]:
    """Return the scripts: each use in the table; for the other utilities an operand and standard input."""
    scripts = []
    for name in sorted(names() - _WITHOUT_INPUT):
        if name in USES:
            scripts += [f"{name} {arguments}" for arguments in USES[name]]
        else:
            scripts += [f"{name} f", f"{name} < f", f'{name} "$x"']
    return scripts


def needs_another_input(script: str) -> bool:
    """Return True for a utility that compares or joins inputs, which then share the size."""
    return script.split()[0] in _WITH_OTHERS


_WITH_OTHERS = frozenset(
    """
    cmp comm combine csvjoin csvstack diff diff3 file join paste patch pr sdiff sort zcmp zdiff
    """.split()
)
