"""Utilities that read lines and print lines."""
