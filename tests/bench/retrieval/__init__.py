"""How good the search is: a public benchmark's protocol, run on functions and on the product."""
