"""Graphs: pairs of vertices, and what noisy degrees and pairs say of the edges that leave a group."""
