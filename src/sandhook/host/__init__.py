"""Real programs and real files, for hooks that a user trusts.

Nothing here is reached from the sandbox: a run has the host's powers only when its caller made it
in host mode.
"""
