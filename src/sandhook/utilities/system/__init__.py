"""Utilities that describe the system and its users, and small ones that print text."""
