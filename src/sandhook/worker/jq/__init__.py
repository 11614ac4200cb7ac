"""jq inside a worker, in two implementations.

``native.py`` over ``libjq.py`` and ``position.py`` calls libjq's own functions, where the package's
file shows them (Linux, macOS). ``server.py`` over ``layout.py`` runs wrapped programs through the
package's interface, where it hides them (Windows). ``texts.py`` serves both.
"""
