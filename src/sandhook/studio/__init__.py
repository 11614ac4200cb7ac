"""The studio: a page that shows the hooks of all agents, fires events at them, follows their scripts, and edits them.

The service serves it below ``/studio/``, and the JSON that it reads below ``/v1/studio/``. The sources of the page are in
the directory ``studio`` of the repository; ``make studio`` builds ``assets`` from them.
"""
