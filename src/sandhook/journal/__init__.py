"""The record of decisions: what agents asked, and what hooks decided, in JSON lines, SQLite or Parquet.

``docs/howto/replay.md`` describes its schema.
"""
