"""Utilities about the system and its users, and small ones that print what they are asked to."""
