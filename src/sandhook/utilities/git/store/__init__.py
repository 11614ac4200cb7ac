"""What a repository stores: objects, packs, references, settings, the index."""
