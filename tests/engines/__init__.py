"""Servers that tests start for themselves, without root and without containers."""
