"""The texts of ``help``, which ``--help`` of a built-in prints as well.

Source: bash 5.2. The modules hold one range of names each, so that none is too long to read.
"""

from __future__ import annotations


def description(topic: str) -> str:
    """Return the text of a topic: a line that summarizes it, mostly a blank line and the details."""
    from sandhook.builtins.names.topics import a_to_e, e_to_p, p_to_t, t_to_z

    for module in (a_to_e, e_to_p, p_to_t, t_to_z):
        if topic in module.TEXTS:
            text: str = module.TEXTS[topic]
            return text
    raise KeyError(topic)


def indented(topic: str) -> str:
    """Return the text of a topic as bash prints it: every line, an empty one too, after four blanks."""
    text = "".join([f"    {line}\n" for line in description(topic).split("\n")])
    return text + "\n" if topic == "variables" else text
