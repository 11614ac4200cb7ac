"""Differences: lines as xdiff finds them, renames, and the forms of the output."""
