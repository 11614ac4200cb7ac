"""Commands that compare: diff, its plumbing, and files outside of a repository."""
