"""Programs that open pages, ask servers, and publish what they get under a name."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from sandhook.vetting.call import Call
from sandhook.vetting.effects.network import host_of, reach, send_to, urls_of
from sandhook.vetting.state import PAYLOAD
from sandhook.vetting.values import EMPTY, HOLE, NOTHING, Origin, Value

Effect = Callable[[Call], "Value | None"]


def _browser(call: Call) -> Value:
    """Programs that open a page: its address may have data."""
    fetched: set[Origin] = set()
    for word in call.words:
        for url in urls_of([word]):
            if not url.startswith("file:"):
                send_to(call, word.origins, reach(call, url))
                fetched.add(Origin("download", host_of(url)))
    return Value((HOLE,), frozenset(fetched)) if call.name in ("w3m", "lynx", "links") else EMPTY


def _asking(call: Call) -> Value:
    """whois, finger, ftp and others: a server reads the words, and what they send."""
    named = call.argument("-h", "--host", "-n", "--server")
    operands = call.operands
    host = named.any_text if named is not None else operands[0].any_text if operands else HOLE
    if call.name == "logger" and named is None:
        return EMPTY
    reach(call, f"tcp://{host.rpartition('@')[2]}")
    send_to(call, call.stdin.origins | call.origins, host)
    return Value((HOLE,), frozenset({Origin("download", host)}))


def _publish(call: Call) -> Value:
    """Programs that show what they get to whoever knows a name: topics, channels, pastes."""
    call.runner.notes.hosts.setdefault("*")
    files = [word for word in call.operands if re.match(r"[~/.@]|[\w-]+\.\w+$", word.any_text)]
    data = call.stdin.origins if call.stdin is not PAYLOAD else NOTHING
    send_to(call, data | call.origins | call.reads(files), f"{call.name}.example")
    return EMPTY


EFFECTS: Mapping[str, Effect] = {
    **dict.fromkeys(
        (
            "xdg-open",
            "open",
            "start",
            "sensible-browser",
            "x-www-browser",
            "firefox",
            "chromium",
            "google-chrome",
            "w3m",
            "lynx",
            "links",
        ),
        _browser,
    ),
    **dict.fromkeys(("whois", "finger", "ftp", "tftp", "gopher", "logger"), _asking),
    **dict.fromkeys(
        (
            "ntfy",
            "apprise",
            "pastebinit",
            "wgetpaste",
            "fpaste",
            "slackcat",
            "slack-cli",
            "gist",
            "telegram-send",
            "signal-cli",
            "matrix-commander",
            "mosquitto_pub",
            "kcat",
            "kafkacat",
            "nats",
            "tootctl",
            "toot",
            "ipfs",
            "rush",
            "pushover",
            "sendxmpp",
        ),
        _publish,
    ),
}
