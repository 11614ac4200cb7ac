"""The interpreter: closures over State, made from the tree and run on the kernel."""
