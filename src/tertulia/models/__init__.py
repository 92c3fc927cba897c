"""Language models: what there is, what it costs, and how to talk to it."""
