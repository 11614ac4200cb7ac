"""Recipes: guards and other hooks, each with expectations, that ``sandhook init`` writes for any agent.

A recipe is a directory of ``data``: recipe.yaml, hook.bash and cases.yaml. Its script calls functions such as
``shell_text`` and ``refuse``, which are generated for each agent from its contract.
"""
