"""Scrub: letters and notes without the people in them."""
