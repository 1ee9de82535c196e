"""Git, asked so that nothing a repository says can run, wait for ever or fetch.

`locate` finds a repository's folders and reads its files; `view` makes the folder that git is given
in place of `.git`; `runner` starts git, and every call of the product goes through it.
"""
