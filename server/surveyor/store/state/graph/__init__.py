"""The tables of the graph: documents' graphs, files, definitions, uses, imports, exact answers.

Kinds of uses are numbers here, and what files say is encoded: `surveyor.graph.facts` knows both.
"""
