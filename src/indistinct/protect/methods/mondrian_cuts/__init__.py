"""Mondrian: cuts of the key."""
