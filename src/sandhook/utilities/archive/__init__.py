"""Utilities that pack and unpack files."""
