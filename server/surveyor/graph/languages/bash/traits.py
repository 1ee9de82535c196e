"""What is particular to shells."""

from __future__ import annotations

from surveyor.graph.languages.bash import imports, values
from surveyor.graph.languages.bash.modules import SourcedFiles
from surveyor.graph.languages.traits import GlobalNames, Traits

__all__ = ["TRAITS"]

_COMMAND_WORDS = """
alias awk basename bg bind break builtin caller cat cd chmod chown command compgen complete continue
cp curl cut date declare diff dirname dirs disown echo egrep enable env eval exec exit export expr
false fc fg find getopts git grep hash head help history id install jobs kill let ln local logout
ls make mapfile mkdir mktemp mv popd printf ps pushd pwd read readarray readonly readlink return rm
rmdir sed seq set shift shopt sleep sort source stat sudo suspend tail tar tee test time times touch
tr trap true type typeset ulimit umask unalias uname uniq unset wait wc wget which whoami xargs yes
"""

TRAITS = {
    "bash": Traits(
        family="bash",
        by_computed_name=r"""(?m)\beval\b|^\s*"?\$\{?\w""",
        self_words=frozenset(),
        super_words=frozenset(),
        # A function is there for whatever runs in the same shell: also what is sourced later.
        global_names=GlobalNames(built_in=frozenset(_COMMAND_WORDS.split())),
        modules=SourcedFiles,
        heads=lambda module: [],
        hands_words=True,
        receiver=values.receiver,
        imports=imports.read,
        called_import=imports.run,
    )
}
