"""Datafly II."""
