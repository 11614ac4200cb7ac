"""The commands that change a repository, which the caller must allow."""
