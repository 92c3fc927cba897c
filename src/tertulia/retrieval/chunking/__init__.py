"""Chunks: a text cut along its structure, with exact pointers into it."""
