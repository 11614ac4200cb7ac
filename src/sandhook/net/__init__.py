"""Connections to the outside, for hosts that allow them: one strict reading of URLs, one check of addresses, one way out.

``url.py`` takes URLs apart, ``addresses.py`` judges addresses, ``network.py`` is what a host allows, ``connection.py`` the only
code that opens a socket.
"""
