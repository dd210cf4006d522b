"""The whole table at once: columns and pairs at the resolution their noise affords, and rows fitted to them."""
