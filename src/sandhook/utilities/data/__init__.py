"""Utilities that read structured data: JSON, YAML, TOML, CSV, SQL."""
