"""The agent's face: the relay between stdio and the engine, and the setting up of agents."""
