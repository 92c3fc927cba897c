"""Tasks and phases: what people want to do, in projects and by themselves."""
