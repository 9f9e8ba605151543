"""Proof from the released file: protection models, linking attacks, several releases together."""
