"""Words by which a caller chooses; apart, so that reading an option loads no method."""

from __future__ import annotations

from typing import Literal

__all__ = ["Told"]

Told = Literal["refuse", "blank", "allow"]
"""What becomes of classes that tell a sensitive value."""
