"""OpenAI's API, so that any program that speaks it can talk to every model, and to a table of several."""
