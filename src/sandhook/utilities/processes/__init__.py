"""Utilities that run, list and signal processes."""
