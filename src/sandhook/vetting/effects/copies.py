"""Programs that copy files to services and other machines."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from sandhook.vetting.call import Call
from sandhook.vetting.effects.network import reach, send_to
from sandhook.vetting.places import is_precious
from sandhook.vetting.values import EMPTY, HOLE, NOTHING, Origin, Value

Effect = Callable[[Call], "Value | None"]


def rsync_to(call: Call) -> None:
    """Report what rsync sends to another machine."""
    operands = call.operands
    if len(operands) > 1 and re.match(r"^[^/~.][^/]*::?[^\\]|rsync://", operands[0].any_text):
        call.writes(operands[-1], Value((HOLE,), frozenset({Origin("download", operands[0].any_text)})))
    if operands and re.match(r"^[^/~.][^/]*::?[^\\]|rsync://", operands[-1].any_text):
        host = operands[-1].any_text.rpartition("@")[2].partition(":")[0]
        reach(call, f"ssh://{host}")
        origins = call.reads(operands[:-1])
        if any(
            call.state.path(word.any_text.rstrip("/") or "/") in (".", "~", "/") for word in operands[:-1]
        ):
            origins |= {Origin("file", "tree")}
        send_to(call, origins, host)


#: A remote of rclone that the command line describes itself, and the name of a configured one.
_VERBS = frozenset(
    {"cp", "copy", "sync", "mv", "move", "rsync", "backup", "create", "put", "send", "upload", "mirror", "-m"}
)
_INLINE, _NAMED = re.compile(r"^:\w+[,:]"), re.compile(r"^[\w-]{2,}:")


def _backup(call: Call) -> Value:
    """Programs that copy trees to other machines: rclone, restic and others."""
    words = [word for word in call.words if word.any_text[:1] != "-"]
    targets = [word for word in words if _INLINE.match(word.any_text) or _NAMED.match(word.any_text)]
    urls = [url for word in call.words for url in re.findall(r"\w+://(?:[^/@\s]*@)?([\w.-]+)", word.any_text)]
    sources = [
        word
        for word in words
        if word not in targets and "://" not in word.any_text and word.any_text not in _VERBS
    ]
    origins = call.reads(sources) | call.stdin.origins | call.origins
    if any(is_precious(call.state.path(word.any_text)) for word in sources):
        origins |= {Origin("file", "tree")}
    for host in urls:
        reach(call, f"https://{host}")
        send_to(call, origins, host if "." in host else f"{host}.bucket")
    if not urls and targets:
        inline = any(_INLINE.match(word.any_text) for word in targets)
        host = "a remote of the command line.example" if inline else HOLE
        send_to(call, origins, host)
    return Value((HOLE,))


def _mail(call: Call) -> Value:
    reach(call, "smtp://*")
    attached = call.arguments("-a", "-A", "--attach")
    domains = [word.any_text.rpartition("@")[2] for word in call.operands if "@" in word.any_text]
    send_to(
        call,
        call.stdin.origins | call.reads(attached) | call.origins,
        domains[0] if domains else "a mail server",
    )
    return EMPTY


def _cloud(call: Call) -> Value | None:
    """aws, gcloud, az, gh: uploads, and commands that print tokens."""
    line = " ".join(call.texts)
    if re.search(
        r"auth (?:token|print-(?:access|identity)-token)|get-access-token|configure (?:get|export-credentials)|secretsmanager get|ssm get-parameter|get-session-token|export-credentials|\bget secrets?\b|\bkv get\b|secrets versions access|keyvault secret|\bitem get\b|^read op:|secrets (?:get|download)|env pull|^config -s|^config:get|auth:token|auth status .*(?:-t\b|--show-token)|config view\b.*--raw|^token list|^variables\b|application-default print",
        line,
    ):
        call.find("V-READ-SECRET", call.line, "medium")
        return Value((HOLE,), frozenset({Origin("secret", f"{call.name} {line[:40]}")}))
    if re.search(
        r"iam (?:create|attach|put|add|update)|add-iam-policy-binding|role assignment create|clusterrolebinding|rolebinding|authorize-security-group|put-bucket-(?:acl|policy)|service-accounts keys create|create-access-key",
        line,
    ):
        call.find("V-LOGIN")
    if _UPLOADS.search(f"{call.name} {line}"):
        named = call.arguments(
            "-f", "--file", "--source", "-s", "--body", "--payload", "--message", "--data", "--message-body"
        )
        files = [
            word for word in (*named, *call.operands) if re.match(r"(?:file(?:b)?://)?[~/.]", word.any_text)
        ]
        send_to(call, call.stdin.origins | call.origins | call.reads(files), f"{call.name}.example")
        return EMPTY
    if call.name in ("gh", "glab"):
        _forge(call, line)
    if call.name == "gh" and re.match(r"gist create", line):
        origins = call.stdin.origins | call.reads(call.operands[2:])
        reach(call, "https://gist.github.com")
        send_to(call, origins, "gist.github.com")
    elif call.name == "aws" and re.match(r"s3 (?:cp|sync|mv)", line):
        operands = call.operands[2:]
        if len(operands) == 2 and operands[0].any_text.startswith("s3://"):
            fetched = Value((HOLE,), frozenset({Origin("download", operands[0].any_text)}))
            call.writes(operands[1], fetched)
            return fetched if operands[1].any_text == "-" else EMPTY
        ends = [index for index, word in enumerate(operands) if word.any_text.startswith("s3://")]
        target = operands[ends[-1]].any_text if ends else HOLE
        if ends and ends[-1]:
            sources = operands[: ends[-1]]
            from_stdin = any(word.any_text == "-" for word in sources)
            origins = (call.stdin.origins if from_stdin else NOTHING) | call.reads(sources)
            if any(is_precious(call.state.path(word.any_text)) for word in sources):
                origins |= {Origin("file", "tree")}
            reach(call, "https://s3.amazonaws.com")
            send_to(call, origins, target)
    elif (
        call.name == "gh"
        and re.match(r"(?:secret|ssh-key|auth) ", line)
        and not re.match(r"auth status", line)
    ):
        call.find("V-LOGIN")
    else:
        return None
    return EMPTY


#: Commands by which a cloud stores or passes on what it gets.
_UPLOADS = re.compile(
    r"^az storage \S+ upload|^gcloud (?:alpha |beta )?storage (?:cp|rsync|mv)|^firebase (?:database:(?:set|push|update)|storage)|^aws (?:s3api put-object|ssm put-parameter"
    r"|secretsmanager (?:put|create)|sns publish|sqs send-message|logs put-log-events|lambda invoke|dynamodb put-item|kinesis put-record)|^(?:surge|wrangler) (?!whoami|login)|^supabase storage cp"
)


def _forge(call: Call, line: str) -> None:
    """gh and glab: what they publish, and whom they let in."""
    if re.match(r"(?:issue|pr|mr|release|api|gist|repo|workflow|variable|snippet)\b", line):
        severe = frozenset(
            each
            for each in call.origins | call.stdin.origins
            if each.kind in ("secret", "environment", "transcript")
        )
        send_to(call, call.origins | severe if call.has("-R", "--repo") else severe, f"{call.name}.example")
    if re.match(
        r"api\b.*(?:collaborators|keys|hooks|protection|rulesets|secrets|invitations|permissions)", line
    ) and (call.has("-X", "--method", "-f", "-F", "--field", "--raw-field", "--input")):
        call.find("V-LOGIN")
    if re.match(r"(?:pr|mr) (?:merge\b.*--admin|review\b.*--approve|approve\b)", line):
        call.find("V-DISABLE", call.line)
    if re.match(r"extensions? install", line):
        call.find("V-DOWNLOAD-EXEC", call.line)
    if re.match(r"repo deploy-key add|ssh-key add|gpg-key add", line):
        call.find("V-LOGIN", call.line)
    if re.match(r"repo (?:edit|create)\b.*(?:--visibility[= ]public|--public)", line):
        call.find("V-SEND-FILE", call.line, "high")


EFFECTS: Mapping[str, Effect] = {
    **dict.fromkeys(
        (
            "rclone",
            "restic",
            "borg",
            "duplicity",
            "rdiff-backup",
            "azcopy",
            "gsutil",
            "s3cmd",
            "b2",
            "mc",
            "croc",
            "wormhole",
            "ffsend",
            "lftp",
            "ncftpput",
            "cadaver",
            "smbclient",
            "skopeo",
        ),
        _backup,
    ),
    **dict.fromkeys(("mail", "mailx", "sendmail", "mutt", "msmtp", "swaks"), _mail),
    **dict.fromkeys(
        (
            "aws",
            "gcloud",
            "az",
            "gh",
            "glab",
            "op",
            "vault",
            "doctl",
            "kubectl",
            "oc",
            "doppler",
            "heroku",
            "vercel",
            "fly",
            "flyctl",
            "infisical",
            "firebase",
            "surge",
            "wrangler",
            "supabase",
        ),
        _cloud,
    ),
}
