"""The optimum over whole variables, by the lattice of their levels."""
