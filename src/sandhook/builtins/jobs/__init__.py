"""Built-ins about jobs, signals, and the limits of processes."""
