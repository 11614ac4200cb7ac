"""Utilities that search text: grep, rg, and grep -P's patterns."""
