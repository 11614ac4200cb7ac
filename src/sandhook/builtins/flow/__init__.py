"""Built-ins that change what runs next: loops, returns, exits, scripts, traps."""
