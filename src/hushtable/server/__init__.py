"""The server: pages and an HTTP interface to the releases of one folder, with accounts; thin, and blind to rows."""
