"""Tertulia: a self-hosted AI workspace where one message goes to several models at once."""

from importlib.metadata import version

__version__ = version("tertulia")
