"""Questions one at a time, as they come. It sees the door and never a row."""
