"""What a file says of a name: tagged structs, and one text form with one parser and one printer.

`model` has the structs, `bindings` those of local names, `grammar` reads their text, `keys` names
what is said of a definition. docs/graph-expressions.md has the grammar.
"""
