"""The built-in local model: a small one, so that somebody answers before the first key is entered.

weights     where the file of weights is, and fetching it
process     the process of its own that runs the model
frames      what it and the server tell each other
child       starts that process when needed and stops it when idle
provider    speaks to it
"""
