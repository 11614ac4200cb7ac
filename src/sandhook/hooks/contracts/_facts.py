"""The aspects in which hook formats differ: each contract describes itself in ``FACTS``.

The documentation and ``sandhook explain`` use them; nothing decides by them.
"""

from __future__ import annotations

#: The aspects with their meanings, in the order of the matrix.
ASPECTS = {
    "source": "what was read to learn the contract",
    "files": "where hooks are configured",
    "trust": "which files run without being approved",
    "matcher": "what selects a hook",
    "input": "what a hook receives",
    "runs": "how it is started",
    "order": "one by one, chained, or in parallel",
    "timeout": "seconds: default, and the most",
    "output": "bytes that are kept of what it prints",
    "refuses": "how a hook refuses",
    "other status": "what another exit status means",
    "could not run": "what a timeout, a missing program or a broken script means",
    "rewrites": "how a hook changes the action",
    "context": "how a hook adds text for the model",
}
