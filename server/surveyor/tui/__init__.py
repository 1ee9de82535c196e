"""`surveyor ui`: a terminal user interface, a client of the engine as the command line is one."""
