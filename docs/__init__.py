"""The project's documentation, and `generate`, which writes its generated pages."""
