"""Utilities that make, copy, move and remove files."""
