"""Utilities that encode, decode, dump and sum bytes."""
