"""The cases of agents that tools.agents.grid does not have itself: a module for each, whose ``cases`` returns them."""
