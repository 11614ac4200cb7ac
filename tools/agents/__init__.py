"""Real agents as the oracle of their contracts: what was recorded of them, as cases of the conformance suite."""
