"""One question: SQL text to a predicate, and the answer that comes back."""
