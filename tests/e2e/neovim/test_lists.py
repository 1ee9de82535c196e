"""What the plugin's README and help say is what the plugin has."""

from __future__ import annotations

import re
from collections.abc import Callable

from tests.e2e.neovim.conftest import PLUGIN, Editor

README = (PLUGIN / "README.md").read_text()
HELP = (PLUGIN / "doc" / "surveyor.txt").read_text()


def test_readme_and_help_list_every_subcommand(start: Callable[..., Editor]) -> None:
    names = set(start("").lua("return vim.tbl_keys(require('surveyor.command').subcommands)"))
    assert set(re.findall(r"^\| `:Surveyor ([a-z]+)", README, re.M)) == names
    assert set(re.findall(r"^:Surveyor(?:\[!\])? ([a-z]+)", HELP, re.M)) == names


def test_readme_and_help_list_every_option_with_its_default(start: Callable[..., Editor]) -> None:
    editor = start("")
    defaults = editor.lua("return require('surveyor.config').defaults") | {"server": None}
    assert set(re.findall(r"^\| `([a-z]+)` \|", README, re.M)) == set(defaults)
    assert set(re.findall(r"^\s+\*surveyor-option-([a-z]+)\*", HELP, re.M)) == set(defaults)
    for name, value in re.findall(r"^\| `([a-z]+)` \| `([^`]*)` \|", README, re.M):
        same = f"vim.deep_equal({value}, require('surveyor.config').defaults.{name})"
        assert editor.lua(f"return {same}"), name


def test_readme_and_help_list_every_mapping(start: Callable[..., Editor]) -> None:
    mapped = start("").lua("return H.mappings()")
    assert set(re.findall(r"<Plug>\(surveyor-([a-z]+)\)", README)) == set(mapped)
    assert set(re.findall(r"^<Plug>\(surveyor-([a-z]+)\)", HELP, re.M)) == set(mapped)


def test_query_filters_follow_the_shared_cases(start: Callable[..., Editor]) -> None:
    cases = PLUGIN.parent / "query-cases.json"
    wrong = start("").lua(
        """
        local wrong = {}
        for _, case in ipairs(vim.json.decode(table.concat(vim.fn.readfile(...), '\\n'))) do
          local params, problems = require('surveyor.query').parse(case.text)
          if not vim.deep_equal(params, case.params) or #problems ~= case.problems then
            table.insert(wrong, { case.text, vim.inspect(params) })
          end
        end
        return wrong
        """,
        str(cases),
    )
    assert wrong == []
