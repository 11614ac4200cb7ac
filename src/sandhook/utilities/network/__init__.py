"""Utilities that send requests to the hosts that a caller's Network allows."""
