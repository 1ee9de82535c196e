"""How Surveyor is installed: the engine as a service of the user's, and newer releases."""
