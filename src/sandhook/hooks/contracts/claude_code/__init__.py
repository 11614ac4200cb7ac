"""Claude Code's hooks."""
