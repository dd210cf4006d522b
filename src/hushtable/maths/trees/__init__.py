"""Trees: models of columns of two values along a tree, and trees over questions about many of them."""
