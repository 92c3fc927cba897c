"""The embedder: turns texts into vectors whose closeness is closeness of meaning.

domain      what an embedder promises
weights     where the built-in model's files are, and making them
tensors     reads the file that the weights come in
graph       builds the network of them, with small whole numbers for weights
process     the process of its own that runs it
runner      starts that process when needed, stops it when idle, starts it anew after a crash
local       the built-in embedder
remote      any server that speaks OpenAI's embeddings
choose      which of them the settings ask for
"""
