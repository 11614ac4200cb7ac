"""How agents read texts: what their languages take for JSON, for a name of a field, and for a comment."""
