"""µ-Argus."""
