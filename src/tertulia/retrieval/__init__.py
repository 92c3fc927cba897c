"""Retrieval: chunks, index, search, fusion."""
