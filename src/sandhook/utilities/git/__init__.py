"""git: reads repositories of the virtual file system, as git 2.39 does, without programs, hooks or networks."""
