"""The commands, one in a module."""
