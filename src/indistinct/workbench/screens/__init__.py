"""The screens, a module each: it registers its addresses, and its template stands in templates."""
