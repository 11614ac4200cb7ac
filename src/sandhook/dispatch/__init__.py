"""Which program runs a file that a command names by its path.

Nothing here touches the host. A caller passes what it sees of the machine (``model.Files``) to
``plan.plan`` and carries out the plan itself. The sandbox reads "#!" lines by ``shebang`` alone, so
this package imports none of its modules.
"""
