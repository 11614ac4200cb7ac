"""The working tree: its state, its changes, and untracked files."""
