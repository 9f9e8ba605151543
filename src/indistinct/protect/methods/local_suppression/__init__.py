"""Minimal local suppression."""
