"""Expectations about hooks: YAML files with events, and what the hooks of a configuration decide about them."""
