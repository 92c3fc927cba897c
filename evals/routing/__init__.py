"""How well it is seen which questions a small model can answer."""
