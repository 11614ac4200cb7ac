"""Utilities that reach what a caller's Network allows."""
