"""Built-ins about names of commands, options, history and completion."""
