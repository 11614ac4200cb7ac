"""Runs real agents headless against a model server on the loopback address, and records what they do with hooks."""
