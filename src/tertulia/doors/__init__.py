"""Further ways in: what other programs already speak."""
