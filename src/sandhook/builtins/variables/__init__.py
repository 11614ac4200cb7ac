"""Built-ins that declare, set, read and unset variables and positional parameters."""
