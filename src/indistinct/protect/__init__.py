"""protect."""
