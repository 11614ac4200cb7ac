"""Dates and times: reading them, printing them, time zones."""
