"""Memory: what a conversation said so far, as points that each know where they come from."""
