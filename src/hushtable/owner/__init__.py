"""What the owner of the rows does: open, check, release, compare with the truth."""
