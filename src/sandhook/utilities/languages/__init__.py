"""Utilities that have a language of their own."""
