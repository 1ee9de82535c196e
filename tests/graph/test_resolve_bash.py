"""What names mean in shell scripts, on small projects given as text."""

from __future__ import annotations

import pytest

from surveyor.graph.facts import KIND_NAMES
from tests.graph.memory import graph, imports, uses

MAIN = """
source "$(dirname "$0")/lib/util.sh"
. ./other.sh
source $HERE
load helper

STATE=1
run_all() {
  local STATE=2
  first "$STATE" | second && third
  trap cleanup EXIT
  RESULT=$(fourth a)
  run -1 checked
  grep x y
}
first() { echo "$STATE"; }
run_all "$@"
"""
PATHS = {
    "main.sh": MAIN,
    "lib/util.sh": "second() { first; }\nfirst() { :; }\ncleanup() { :; }\n",
    "other.sh": "third() { only_there; }\n",
    "helper.bash": "checked() { :; }\ngrep() { :; }\n",
    "far/away.sh": "fourth() { :; }\nonly_there() { :; }\n",
}


def test_functions_of_the_file_of_sourced_files_and_of_the_shell() -> None:
    made = graph(PATHS)
    found = {
        (edge.line, f"{edge.target.path}::{edge.target.qualname}")
        for edge in made.resolutions["main.sh"].edges
        if edge.score >= 0.5
    }
    assert found >= {
        (10, "main.sh::first"),  # its own before what is sourced
        (10, "lib/util.sh::second"),
        (10, "other.sh::third"),
        (11, "lib/util.sh::cleanup"),
        (12, "far/away.sh::fourth"),  # whoever sources it
        (13, "helper.bash::checked"),
        (16, "main.sh::STATE"),
        (17, "main.sh::run_all"),
    }
    assert not any(line == 10 and "STATE" in name for line, name in found)
    assert (1, "only_there") in uses(made, "other.sh")


def test_sourced_paths_are_known_by_their_constant_ends() -> None:
    named = imports(graph(PATHS), "main.sh")
    assert [target for _, target, _ in named] == ["lib/util.sh", "other.sh", "", "helper.bash"]
    assert named[2][2] == "the argument is not a constant"


HANDED = {
    "lib.sh": 'append_prompt() { PROMPT_COMMAND="$1"; }\non_exit() { "$@"; }\n'
    'log() { echo "$1"; }\n',
    "theme.sh": "set_prompt() { PS1=x; }\nclean-up() { :; }\nbuild() { :; }\n_comp() { :; }\n"
    "append_prompt set_prompt\non_exit clean-up now\nlog build\ndocker_up build clean-up\n"
    "git build\ncomplete -o nospace -F _comp tool\ncompgen -F _comp\n",
}
"""As the themes and completions of bash-it are installed."""


@pytest.mark.parametrize(
    ("line", "name", "kind", "is_sure"),
    [
        (5, "set_prompt", "read", True),
        (6, "clean-up", "read", True),
        (7, "build", "read", False),
        (10, "_comp", "call", True),
        (11, "_comp", "call", True),
    ],
)
def test_what_a_function_is_handed_may_be_run_by_it_and_the_shell_runs_what_completes(
    line: int, name: str, kind: str, is_sure: bool
) -> None:
    edges = graph(HANDED).resolutions["theme.sh"].edges
    found = [e for e in edges if (e.line, e.target.qualname) == (line, name)]
    assert [(KIND_NAMES[e.kind], e.score >= 0.5) for e in found] == [(kind, is_sure)]


def test_what_other_programs_are_handed_is_no_function() -> None:
    edges = graph(HANDED).resolutions["theme.sh"].edges
    assert not [e for e in edges if e.line in (8, 9)]
