"""Perl's regular expressions for grep -P and rg -P."""
