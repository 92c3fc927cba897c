"""Which model a question needs: how difficult it is, and who of those there are can do it for the least."""
