"""The interpreter: compiles trees to closures over State and runs them on the kernel."""
