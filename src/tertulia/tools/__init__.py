"""What models can do besides speaking: one small adapter for each tool, and the box that runs them."""
