"""Utilities that compare files, and apply differences."""
