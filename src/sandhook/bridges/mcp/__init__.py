"""The Model Context Protocol: hooks between a client and a server (``relay``), and a server with a shell (``shell``)."""
