"""MCP, so that agents of other programs can read and search what a workspace has. It only looks."""
