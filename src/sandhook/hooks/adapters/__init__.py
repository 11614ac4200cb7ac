"""Hooks of a configuration as callbacks of agent SDKs, one module per SDK; none imports its SDK."""
