"""Profiles: what a person wrote about themselves, told to models with their consent alone."""
