"""Local recoding."""
