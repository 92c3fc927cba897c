"""Takes text out of files: what a file is, and what it says."""
