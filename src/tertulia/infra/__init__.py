"""What the features stand on: database, events, jobs, HTTP."""
