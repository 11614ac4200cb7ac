"""Utilities that list files and describe them."""
