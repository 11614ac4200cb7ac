"""The report of a replay: one HTML file that needs no network."""
