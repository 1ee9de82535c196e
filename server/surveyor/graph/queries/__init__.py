"""Questions to the stored graph: definitions, references, impact, hierarchy, the map."""
