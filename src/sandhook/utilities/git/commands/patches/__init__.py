"""Commands about patches: to write them, to find equal ones, and to merge files."""
