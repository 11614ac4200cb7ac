"""The commands about records: replay, record and stats."""
