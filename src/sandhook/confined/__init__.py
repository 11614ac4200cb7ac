"""The worker's side of ``isolation="process"``: the shell in a process that the system confines."""
