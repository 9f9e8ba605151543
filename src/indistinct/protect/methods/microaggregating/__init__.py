"""Microaggregation."""
