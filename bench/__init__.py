"""How fast Tertulia is, as ratios in one run: `python -m bench`."""
