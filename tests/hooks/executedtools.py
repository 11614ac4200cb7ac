"""The project in which the scripts of tables/executed.json ran: every script of it writes its own path to $LOG."""

from __future__ import annotations

from pathlib import Path

#: Scripts for bash, by path: first lines.
_SHELL = {
    **dict.fromkeys(
        (
            *(
                "x.sh",
                "d/x.sh",
                "d/x",
                "d/e/x.sh",
                "d/e/f/x.sh",
                "d/ls",
                "d/n2.sh",
                "d/p.sh",
                "d/parts/y",
                "d/git-x",
            ),
            *("d/git-log", "e2/x.sh", "e2/sub/x.sh"),
        ),
        "#!/bin/bash\n",
    ),
    "d/shebang-env": "#!/usr/bin/env bash\n",
    "d/shebang-abs": "#!/bin/sh\n",
    "d/shebang-rel": "#!d/interp\n",
    "d/noshebang": "",
}

#: Other files. "@" is the project's directory.
_FILES = {
    "d/interp": "#!/bin/bash\necho @/d/interp >> $LOG\n",
    "d/n.sh": "#!/bin/bash\n:\n",
    "d/p": "d/x.sh\n",
    "d/p0": "d/x.sh\0",
    "d/two": "a\nb\n",
    "d/cmds": "bash d/x.sh\n",
    "d/cmd1": "d\n",
    "d/wrap.sh": "#!/bin/bash\n. d/x.sh\n",
    "d/setb.sh": "b=d/x.sh\n",
    "d/cdd.sh": "cd d\n",
    "d/x.awk": 'BEGIN { system("echo @/d/x.awk >> $LOG") }\n',
    "d/n.awk": "BEGIN {}\n",
    "d/x.sed": "1e echo @/d/x.sed >> $LOG\n",
    "d/x.pl": '#!/usr/bin/perl\nsystem("echo @/d/x.pl >> \\$LOG");\n',
    "d/x.py": 'import os\nopen(os.environ["LOG"],"a").write("@/d/x.py\\n")\n',
    "d/xmod.py": 'import os\nopen(os.environ["LOG"],"a").write("@/d/xmod.py\\n")\n',
    "d/pyscript": '#!/usr/bin/env python3\nimport os\nopen(os.environ["LOG"],"a").write("@/d/pyscript\\n")\n',
    "d/awkscript": '#!/usr/bin/awk -f\nBEGIN { system("echo @/d/awkscript >> $LOG") }\n',
    "d/sedscript": "#!/bin/sed -f\n1e echo @/d/sedscript >> $LOG\n",
    "d/crlf.sh": 'echo @/d/crlf.sh >> "$LOG" #\r\n',
    "d/mk": "a:\n\tbash d/x.sh\n",
    "d/init.sql": ".shell bash d/x.sh\n",
    "d/dcfile": "!bash d/x.sh\n",
    "d/m4file": "syscmd(bash d/x.sh)\n",
    "d/gc": "[alias]\nz = !bash d/x.sh\n",
    "d/big": "a\n" * 10,
    "d/p.c": "int main(){}\n",
}


def build(root: Path) -> None:
    """Write the project."""
    scripts = {name: f'{first}echo @/{name} >> "$LOG"\n' for name, first in _SHELL.items()}
    for name, text in {**scripts, **_FILES}.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.replace("@", str(root)).encode())
        path.chmod(0o755)
    (root / "link").symlink_to("d")
    (root / "le").symlink_to("e2/sub")
