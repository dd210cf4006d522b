"""Reports: one HTML page about a synopsis, for everyone or for its owner, with pictures and no scripts."""
