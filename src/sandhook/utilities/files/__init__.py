"""Utilities that create, copy, move and remove files."""
