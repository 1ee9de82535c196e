"""The entries of docs/other-editors.md, as they stand on the page.

Each is read from the page, given to its editor where that is installed, and asked what it starts;
where it is not, only what needs no editor is looked at (and the test that needs it is skipped).
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from surveyor.lsp.settings import read
from surveyor.parsing.languages import language_of
from tests.lsp.rawclient import CHECKOUT

PAGE = (CHECKOUT / "docs/other-editors.md").read_text()


def read_entries(page: str) -> dict[str, tuple[str, str]]:
    """Language and text of each fenced entry, by the bold name (and `with PACKAGE`) above it."""
    entries = {}
    parts = re.split(r"^```(\w*)\n", page, flags=re.MULTILINE)
    for above, language, text in zip(parts[::4], parts[1::4], parts[2::4], strict=False):
        named = re.findall(r"^\*\*(.+?)\*\*( with (?!LSP)[\w-]+)?", above, re.MULTILINE)
        entries["".join(named[-1])] = (language, text)
    return entries


ENTRIES = read_entries(PAGE)
STARTS = ["surveyor", "lsp"]
ALE = [Path("/usr/share/vim-ale"), *Path.home().glob(".vim/pack/*/*/ale")]
LIMIT_S = 60


def entry(editor: str, language: str) -> str:
    """An editor's entry."""
    found, text = ENTRIES[editor]
    assert found == language
    return text


def test_every_entry_of_the_page_is_one_that_is_tested() -> None:
    assert list(ENTRIES) == [
        "Helix",
        "Emacs with eglot",
        "Emacs with lsp-mode",
        "Vim with ALE",
        "Sublime Text",
        "Kate",
    ]
    assert PAGE.count("```") == 2 * len(ENTRIES)


def understood(options: Any, mode: str) -> None:
    """What an entry hands to `initialize` is known to Surveyor, and has a mode."""
    settings = read([options])
    assert settings.warnings == ()
    assert settings.default_mode.mode == mode


def test_helix() -> None:
    table = tomllib.loads(entry("Helix", "toml"))
    server = table["language-server"]["surveyor"]
    assert [server["command"], *server["args"]] == STARTS
    understood(server["config"], "companion")
    for language in table["language"]:
        assert "surveyor" in language["language-servers"]
        # Another server is beside it: that is what the mode is for.
        assert len(language["language-servers"]) > 1
    if program := shutil.which("hx") or shutil.which("helix"):
        subprocess.run([program, "--version"], check=True, capture_output=True, timeout=LIMIT_S)


def test_sublime_text() -> None:
    server = json.loads(entry("Sublime Text", "json"))["surveyor"]
    assert server["command"] == STARTS and server["enabled"] is True and server["selector"]
    # The names that LSP has for what is required and for what it hands to `initialize`.
    assert set(server) == {"enabled", "command", "selector", "initialization_options"}
    understood(server["initialization_options"], "companion")


def test_kate() -> None:
    servers = json.loads(entry("Kate", "json"))["servers"]
    for server in servers.values():
        assert server["command"] == STARTS
        assert server["rootIndicationFileNames"]
        understood(server["initializationOptions"], "full")


def emacs(feature: str, text: str, ask: str, folder: Path) -> Any:
    """What Emacs says, as JSON, once it has loaded a package after an entry."""
    program = shutil.which("emacs")
    if program is None:
        pytest.skip("Emacs is not installed")
    start = folder / "entry.el"
    start.write_text(text)
    lines = [
        "(require 'package)",
        "(package-initialize)",
        "(require 'json)",
        f'(unless (require \'{feature} nil t) (princ "absent") (kill-emacs 0))',
        f'(princ (concat "\\n" (json-encode {ask})))',
    ]
    load = ["-l", str(start), *(part for line in lines for part in ("--eval", line))]
    done = subprocess.run(
        [program, "--batch", *load], capture_output=True, text=True, timeout=LIMIT_S, check=False
    )
    if done.stdout.endswith("absent"):
        pytest.skip(f"Emacs has no {feature}")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_emacs_with_eglot(tmp_path: Path) -> None:
    # What eglot starts for a buffer, found by eglot's own means.
    ask = """(with-temp-buffer (setq buffer-file-name "/tmp/a.py") (python-mode)
               (set-buffer-modified-p nil)
               (let ((contact (nth 3 (eglot--guess-contact))))
                 (vector (vconcat (seq-take-while #'stringp contact))
                       (plist-get (seq-drop-while #'stringp contact) :initializationOptions))))"""
    # It is no use where the program is not: eglot asks for another then.
    text = f"(setq exec-path (cons {json.dumps(str(tmp_path))} exec-path))\n"
    program = tmp_path / "surveyor"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    found = emacs("eglot", text + entry("Emacs with eglot", "elisp"), ask, tmp_path)
    assert found[0] == STARTS
    understood(found[1], "full")


def test_emacs_with_lsp_mode(tmp_path: Path) -> None:
    # The command is within closures: asked of the one that starts it.
    ask = """(let* ((client (gethash 'surveyor lsp-clients)) started)
               (cl-letf (((symbol-function 'make-process)
                          (lambda (&rest args) (setq started (plist-get args :command)) nil))
                         ((symbol-function 'set-process-query-on-exit-flag) #'ignore)
                         ((symbol-function 'executable-find) (lambda (name &rest _) name)))
                 (ignore-errors
                   (funcall (plist-get (lsp--client-new-connection client) :connect)
                            #'ignore #'ignore "surveyor" nil)))
               (list started (lsp--client-initialization-options client)
                     (lsp--client-priority client)))"""
    found = emacs("lsp-mode", entry("Emacs with lsp-mode", "elisp"), ask, tmp_path)
    assert [Path(found[0][0]).name, *found[0][1:]] == STARTS
    understood(found[1], "full")
    assert found[2] > 0  # before the clients that lsp-mode has of its own


def test_vim_with_ale(tmp_path: Path) -> None:
    program = shutil.which("vim")
    ale = next((folder for folder in ALE if folder.is_dir()), None)
    if program is None or ale is None:
        pytest.skip("Vim with ALE is not installed")
    start, said = tmp_path / "entry.vim", tmp_path / "said.json"
    start.write_text(
        entry("Vim with ALE", "vim")
        + "let s:of = filter(copy(ale#linter#Get('python')), 'v:val.name ==# \"surveyor\"')[0]\n"
        + "let s:root = call(s:of.project_root, [bufnr('')])\n"
        + "let s:say = [s:of.executable, s:of.command, s:of.initialization_options, s:root]\n"
        + f"call writefile([json_encode(s:say)], '{said}')\n"
    )
    source = tmp_path / "repo" / "pkg" / "a.py"
    source.parent.mkdir(parents=True)
    (tmp_path / "repo" / ".git").mkdir()
    source.write_text("x = 1\n")
    command = [program, "-es", "-N", "-u", "NONE", "--cmd", f"set rtp+={ale}", str(source)]
    edits = [
        "-c",
        "runtime plugin/ale.vim",
        "-c",
        "set ft=python",
        "-c",
        f"source {start}",
        "-c",
        "qa!",
    ]
    subprocess.run([*command, *edits], capture_output=True, timeout=LIMIT_S, check=False)
    executable, line, options, root = json.loads(said.read_text())
    assert line.replace("%e", executable).split() == STARTS
    assert Path(root).resolve() == (tmp_path / "repo").resolve()
    understood(options, "full")


def test_masons_package_is_the_distribution_of_this_version() -> None:
    # What mason-org/registry-schema requires and allows, as it was in 2025.
    package = yaml.safe_load(
        (CHECKOUT / "packaging/mason/packages/surveyor/package.yaml").read_text()
    )
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())["project"]
    required = {"name", "description", "homepage", "licenses", "languages", "categories", "source"}
    assert set(package) == required | {"bin", "neovim"}
    assert package["source"]["id"] == f"pkg:pypi/{project['name']}@{project['version']}"
    assert package["homepage"] == f"https://pypi.org/project/{project['name']}/"
    assert package["licenses"] == [project["license"]]
    assert set(package["bin"]) <= set(project["scripts"])
    entry = f"packaging/nvim-lspconfig/lsp/{package['neovim']['lspconfig']}.lua"
    assert (CHECKOUT / entry).is_file()


def test_zeds_extension_starts_what_its_source_says() -> None:
    folder = CHECKOUT / "clients/zed"
    extension = tomllib.loads((folder / "extension.toml").read_text())
    crate = tomllib.loads((folder / "Cargo.toml").read_text())
    assert crate["lib"]["crate-type"] == ["cdylib"]
    assert list(extension["language_servers"]) == list(extension["context_servers"]) == ["surveyor"]
    source = (folder / "src/lib.rs").read_text()
    (name,) = re.findall(r'const NAME: &str = "(.*)";', source)
    assert name in extension["language_servers"]
    (options,) = re.findall(r"serde_json::json!\((.*)\);", source)
    understood(json.loads(options), "companion")
    if not _formats_rust():
        pytest.skip("cargo fmt is not here: the source's form is not looked at")
    command = ["cargo", "fmt", "--check"]
    subprocess.run(command, cwd=folder, check=True, capture_output=True, timeout=LIMIT_S)


def _formats_rust() -> bool:
    """Whether cargo is here with a toolchain that can format."""
    if shutil.which("cargo") is None:
        return False
    asked = subprocess.run(
        ["cargo", "fmt", "--version"], capture_output=True, timeout=LIMIT_S, check=False
    )
    return asked.returncode == 0


def test_the_template_for_jetbrains_maps_files_that_surveyor_reads() -> None:
    folder = CHECKOUT / "clients/jetbrains/lsp4ij"
    template = json.loads((folder / "template.json").read_text())
    assert template["programArgs"]["default"].split() == STARTS
    understood(json.loads((folder / "initializationOptions.json").read_text()), "companion")
    mapped = [
        (language["languageId"], pattern)
        for language in template["fileTypeMappings"]
        for pattern in language["fileType"]["patterns"]
    ]
    assert len({pattern for _, pattern in mapped}) == len(mapped) > 0
    unread = [pattern for _, pattern in mapped if language_of(pattern.replace("*", "a")) is None]
    assert unread == []
