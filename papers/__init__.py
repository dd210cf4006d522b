"""Papers: one folder a source, with its claims, the program that checks them, what it found, and a picture."""
