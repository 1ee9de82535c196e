"""A repository in which everything that can name a program names a canary."""

from __future__ import annotations

import shlex
from pathlib import Path

from tests.gitrepo import git, repository, write

KEYS = [
    "alias.log", "alias.diff", "alias.ls-files", "alias.blame", "alias.rev-list",
    "alias.rev-parse", "alias.cat-file", "browser.x.cmd",
    "browser.x.path", "core.alternateRefsCommand", "core.askPass", "core.editor",
    "core.fsmonitor", "core.gitProxy", "core.pager", "core.sshCommand", "credential.helper",
    "credential.https://example.org.helper", "diff.external", "diff.guitool", "diff.tool",
    "diff.planted.command", "diff.planted.textconv", "difftool.x.cmd", "difftool.x.path",
    "filter.planted.clean", "filter.planted.smudge", "filter.piped.process",
    "gpg.program", "gpg.openpgp.program", "gpg.ssh.program", "gpg.x509.program",
    "gpg.ssh.defaultKeyCommand", "guitool.x.cmd", "help.browser", "hook.planted.command",
    "imap.tunnel", "instaweb.httpd", "interactive.diffFilter", "man.viewer", "man.x.cmd",
    "man.x.path", "merge.planted.driver", "merge.tool", "mergetool.x.cmd", "mergetool.x.path",
    "mergetool.planted.cmd", "pager.blame", "pager.branch",
    "pager.diff", "pager.log", "pager.ls-files", "pager.ls-tree", "pager.rev-list",
    "pager.show", "pager.status", "remote.origin.receivepack",
    "remote.origin.uploadpack", "remote.origin.vcs", "remote.origin.proxy",
    "remote.evil.uploadpack", "remote.evil.receivepack", "remote.evil.vcs",
    "sendemail.sendmailCmd", "sendemail.toCmd", "sendemail.ccCmd", "sendemail.headerCmd",
    "sendemail.smtpServer", "sequence.editor", "submodule.sub.update",
    "tar.planted.command", "trailer.sign.cmd", "trailer.sign.command", "trailer.x.cmd",
    "uploadpack.packObjectsHook", "web.browser",
]  # fmt: skip
"""Of git-config(1): keys whose value is a command, with a name of the repository's choice."""

HOOKS = [
    "applypatch-msg", "commit-msg", "fsmonitor-watchman", "p4-changelist",
    "p4-post-changelist", "p4-pre-submit", "p4-prepare-changelist", "post-applypatch",
    "post-checkout", "post-commit", "post-index-change", "post-merge", "post-receive",
    "post-rewrite", "post-update", "pre-applypatch", "pre-auto-gc", "pre-commit",
    "pre-merge-commit", "pre-push", "pre-rebase", "pre-receive", "prepare-commit-msg",
    "proc-receive", "push-to-checkout", "reference-transaction", "sendemail-validate",
    "update",
]  # fmt: skip

ATTRIBUTES = (
    "* filter=planted diff=planted merge=planted export-subst working-tree-encoding=UTF-8\n"
)
FILES = {
    "a.py": "def first_planted():\n    return 1\n",
    "b.py": "def second_planted():\n    return first_planted()\n",
    "dir/c.py": "def third_planted():\n    return 3\n",
}


class Canary:
    """A program that writes down how it was called, and hands on what it was given."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True)
        self._log = folder / "ran.txt"
        self.path = folder / "canary"
        self.path.write_text(
            "#!/bin/sh\n"
            f'echo "$CANARY $0 $* (for $(tr "\\0" " " </proc/$PPID/cmdline))" >>{self._log}\n'
            'if [ -f "$2" ]; then exec cat "$2"; fi\nexec cat\n'  # as a filter would
        )
        self.path.chmod(0o755)

    def command(self, name: str) -> str:
        """A command that says which key has run it."""
        return f"{shlex.quote(str(self.path))} {shlex.quote(name)}"

    def ran(self) -> list[str]:
        """How it was called, one line each."""
        return self._log.read_text().splitlines() if self._log.exists() else []


def plant(root: Path, canary: Canary, *, keys: bool = True) -> None:
    """Give a repository every setting, attribute and hook that runs a program."""
    config = root / ".git" / "config"
    included = root / ".git" / "more"
    with config.open("a") as out:
        for key in KEYS if keys else ():
            out.write(_setting(key, canary.command(key)))
        out.write("[diff]\n\tautoRefreshIndex = true\n[log]\n\tshowSignature = true\n")
        out.write(
            '[core]\n\tuntrackedCache = true\n[hook "planted"]\n\tevent = post-index-change\n'
        )
        out.write("[extensions]\n\tworktreeConfig = true\n")
        out.write(f'[core]\n\thooksPath = "{root / ".git" / "planted-hooks"}"\n')
        out.write(f'[include]\n\tpath = "{included}"\n[submodule]\n\trecurse = true\n')
        out.write(f'[includeIf "gitdir:/"]\n\tpath = "{included}"\n[protocol]\n\tallow = always\n')
    included.write_text(_setting("core.fsmonitor", canary.command("included")))
    (root / ".git" / "config.worktree").write_text(
        _setting("core.fsmonitor", canary.command("worktree")) + "[core]\n\tworktree = /etc\n"
    )
    (root / ".git" / "info").mkdir(exist_ok=True)
    (root / ".git" / "info" / "attributes").write_text(ATTRIBUTES)
    for folder in ("hooks", "planted-hooks"):
        (root / ".git" / folder).mkdir(exist_ok=True)
        for hook in HOOKS:
            file = root / ".git" / folder / hook
            file.write_text(f"#!/bin/sh\nexec {canary.command(f'{folder}/{hook}')}\n")
            file.chmod(0o755)


def _setting(key: str, value: str) -> str:
    section, *middle, name = key.split(".")
    head = f'[{section} "{".".join(middle)}"]' if middle else f"[{section}]"
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'{head}\n\t{name} = "{escaped}"\n'


def planted(folder: Path, canary: Canary) -> Path:
    """A repository with history, a submodule, changes that are not committed, and all plants."""
    sub = repository(folder / "sub-origin", {"s.py": "def inner_planted():\n    return 0\n"})
    root = repository(folder / "planted", FILES)
    git(root, "submodule", "add", "-q", str(sub), "sub")
    nested = {"dir/.gitattributes": "*.py filter=piped diff=planted\n"}
    write(root, {**nested, ".gitattributes": ATTRIBUTES, "b.py": FILES["b.py"] + "\n\nX = 1\n"})
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "second")
    write(root, {"a.py": FILES["a.py"].replace("1", "2")})
    git(root, "commit", "-q", "-a", "-m", "third")
    write(root, {"dir/c.py": FILES["dir/c.py"].replace("3", "5")})
    write(root, {"a.py": FILES["a.py"].replace("1", "4"), "new.py": "def new_planted(): ...\n"})
    write(root, {"sub/s.py": "def inner_planted():\n    return 9\n"})
    plant(root, canary)
    module = root / ".git" / "modules" / "sub" / "config"
    module.write_text(module.read_text() + _setting("core.fsmonitor", canary.command("sub")))
    return root


def partial_clone(folder: Path, canary: Canary) -> Path:
    """A clone without the old blobs whose remote would be asked through a program."""
    origin = repository(folder / "origin", FILES)
    for number in range(2, 6):
        write(origin, {"a.py": FILES["a.py"].replace("1", str(number))})
        git(origin, "commit", "-q", "-a", "-m", f"change {number}")
    git(origin, "config", "uploadpack.allowFilter", "true")
    root = folder / "partial"
    git(folder, "clone", "-q", "--filter=blob:none", f"file://{origin}", str(root))
    git(root, "cat-file", "blob", "HEAD~1:a.py")  # one that was fetched
    with (root / ".git" / "config").open("a") as out:
        out.write(_setting("remote.origin.uploadpack", canary.command("uploadpack")))
        out.write("[protocol]\n\tallow = always\n")
    write(root, {"b.py": FILES["b.py"] + "\n\nY = 2\n"})
    return root.resolve()
