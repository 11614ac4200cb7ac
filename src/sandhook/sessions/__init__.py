"""Sessions as data: snapshots, what is restored from them, and differences."""
