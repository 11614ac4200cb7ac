"""Utilities that list files and say what they are."""
