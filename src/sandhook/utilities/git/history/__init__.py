"""Names of revisions, walks over commits, and the forms of a commit."""
