"""The embedder: turns texts into vectors whose closeness is closeness of meaning.

domain            what an embedder promises
weights           where the built-in model's files are, and making them
safetensors_file  reads the file that the weights come in
graph             builds the network of them, with small whole numbers for weights
process           the process of its own that runs it
frames            what it and the server tell each other
child             starts that process and asks it
local             the built-in embedder
remote            any server that speaks OpenAI's embeddings
factory           which of them the settings ask for
"""
