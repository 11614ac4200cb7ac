"""Built-ins about the working directory."""
