"""Fires recorded events at hooks again, and compares the decisions: what a change of the hooks would change."""
