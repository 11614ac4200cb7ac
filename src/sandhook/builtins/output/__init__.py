"""Built-ins that print and test."""
