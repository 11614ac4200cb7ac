"""Commands that write patches, archives and merged files."""
