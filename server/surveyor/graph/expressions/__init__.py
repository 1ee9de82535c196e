"""What a file says of a name: tagged structs, and one text form with one parser and one printer.

`model` has the structs, `grammar` reads and writes their text, `facts` names what is said of a
definition. docs/graph.md has the grammar.
"""
