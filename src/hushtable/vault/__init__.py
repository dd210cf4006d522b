"""The trusted code: the only folder that sees rows."""
