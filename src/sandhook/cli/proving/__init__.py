"""The commands that try guards: doctor and chaos."""
