"""The first page in the browser: set up, sign in, ask."""
