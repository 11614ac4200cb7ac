"""Proves that guards are on: ``doctor`` tries every hook of an agent, ``chaos`` breaks what a guard needs.

from sandhook.proving.chaos import chaos
report = chaos(["crush.json"])
if not report.held:
    ...
"""
