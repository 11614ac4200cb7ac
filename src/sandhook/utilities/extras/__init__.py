"""Rarely used utilities. The core does not know them: entry points register them, as those of any other package."""
