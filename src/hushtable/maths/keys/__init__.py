"""Keys of any length: their bytes, their hash, their place in a sketch; shared by rows and questions."""
