"""Write the repository's address and the distribution's name to where they are said.

`python scripts/identity.py` takes both from packaging/identity.toml; `--check` changes nothing and
names the files that say something else.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

ROOT = Path(__file__).parents[1]
SOURCE = "packaging/identity.toml"
DISTRIBUTION = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
"""As package indexes normalize names; npm and Debian take it too."""
REPOSITORY = re.compile(r"https://[\w.-]+(/[\w.-]+){2,}")
COMMAND = "surveyor"
FORGES = {"github.com": "github", "gitlab.com": "gitlab"}
"""Hosts that the schema of server.json has a word for."""


@dataclass(frozen=True)
class Identity:
    """Who Surveyor is to the outside."""

    repository: str
    """Its address; empty where there is none."""
    distribution: str

    @property
    def homepage(self) -> str:
        """Where somebody reads about it."""
        return self.repository or f"https://pypi.org/project/{self.distribution}/"

    @property
    def registry_name(self) -> str:
        """In the registry of MCP servers, which gives an owner on GitHub the names below it."""
        address = urlsplit(self.repository)
        owner = address.path.split("/")[1] if address.hostname == "github.com" else COMMAND
        return f"io.github.{owner}/{self.distribution}"


@dataclass(frozen=True)
class Value:
    """Something that a file says once in every case: the text between two others."""

    file: str
    before: str
    """A regular expression that ends where the value begins."""
    after: str
    said: Callable[[Identity], str]

    def put(self, text: str, identity: Identity) -> str:
        """The text with the value; raises ValueError where it has no place for it."""
        place = re.compile(f"({self.before})[^\\s\"'`@]*?({self.after})", re.MULTILINE)
        if not place.search(text):
            raise ValueError(f"{self.file} has no place for {self.before}")
        return place.sub(lambda at: f"{at[1]}{self.said(identity)}{at[2]}", text)


@dataclass(frozen=True)
class Lines:
    """Lines that a file has only where there is something to say."""

    file: str
    above: str
    """The line that they stand below, as a regular expression."""
    old: str
    """Such lines, as a regular expression."""
    said: Callable[[Identity], str]

    def put(self, text: str, identity: Identity) -> str:
        """The text with the lines; raises ValueError where it has no place for them."""
        bare = re.sub(self.old, "", text, count=1, flags=re.MULTILINE)
        place = re.search(f"^{self.above}\n", bare, re.MULTILINE)
        if place is None:
            raise ValueError(f"{self.file} has no line like {self.above}")
        return bare[: place.end()] + self.said(identity) + bare[place.end() :]


def _with_repository(template: str) -> Callable[[Identity], str]:
    """A template's lines where there is a repository, which is `@` in it."""
    return lambda who: template.replace("@", who.repository) if who.repository else ""


def _server_json(who: Identity) -> str:
    if not who.repository:
        return ""
    host = urlsplit(who.repository).hostname or ""
    said = f'"url": "{who.repository}", "source": "{FORGES.get(host, host)}"'
    return f'  "repository": {{ {said} }},\n'


def _script(who: Identity) -> str:
    """`uvx NAME` and `pipx run NAME` start the command that is called as the distribution is."""
    name = who.distribution
    return "" if name == COMMAND else f'{name} = "surveyor.__main__:main"\n'


def _name(who: Identity) -> str:
    return who.distribution


def _source_archive(who: Identity) -> str:
    name = who.distribution
    return f"{name[0]}/{name}/{name.replace('-', '_')}"


def _homepage(who: Identity) -> str:
    return who.homepage


PLACES: tuple[Value | Lines, ...] = (
    Value("pyproject.toml", r'^\[project\]\nname = "', '"', _name),
    Lines("pyproject.toml", r'surveyor = "surveyor\.__main__:main"',
          r'^(?!surveyor = )[\w-]+ = "surveyor\.__main__:main"\n', _script),
    Lines("pyproject.toml", r'  "Typing :: Typed",\n\]',
          r'^urls = .*\n',
          _with_repository('urls = { Repository = "@", Issues = "@/issues" }\n')),
    Value("server/surveyor/installation/origin.py", r'^DISTRIBUTION = "', '"', _name),
    Value("server/surveyor/installation/releases.py", 'MARK = "mcp-name: ', '"',
          lambda who: who.registry_name),
    Value("README.md", "<!-- mcp-name: ", " -->", lambda who: who.registry_name),
    Value("server.json", r'^  "name": "', '"', lambda who: who.registry_name),
    Value("server.json", '"identifier": "', '"', _name),
    Lines("server.json", r'  "description": .*', r'^  "repository": .*\n', _server_json),
    Lines("clients/vscode/package.json", r'  "license": .*',
          r'^  "homepage": .*\n  "repository": .*\n  "bugs": .*\n',
          _with_repository(
              '  "homepage": "@#readme",\n'
              '  "repository": { "type": "git", "url": "@.git", "directory": "clients/vscode" },\n'
              '  "bugs": { "url": "@/issues" },\n')),
    Value("clients/vscode/src/discovery.ts", 'DISTRIBUTION = "', '"', _name),
    Lines("clients/agents/claude-code/.claude-plugin/plugin.json", r'  "author": .*',
          r'^  "homepage": .*\n  "repository": .*\n',
          _with_repository('  "homepage": "@",\n  "repository": "@",\n')),
    Lines("clients/devcontainer/src/surveyor/devcontainer-feature.json", r'  "version": .*',
          r'^  "documentationURL": .*\n', _with_repository('  "documentationURL": "@",\n')),
    Lines("clients/zed/extension.toml", "authors = .*", r"^repository = .*\n",
          _with_repository('repository = "@"\n')),
    Value("clients/zed/src/lib.rs", "uv tool install ", "`", _name),
    Lines("clients/emacs/surveyor.el", r';; Package-Requires: .*', r"^;; URL: .*\n",
          _with_repository(";; URL: @\n")),
    Lines("mkdocs.yml", "site_description: .*", r"^repo_url: .*\n",
          _with_repository("repo_url: @\n")),
    Value("packaging/debian/debian/control", "^Homepage: ", "$", _homepage),
    Value("packaging/debian/debian/copyright", "^Source: ", "$", _homepage),
    Value("packaging/homebrew/surveyor.rb", 'homepage "', '"', _homepage),
    Value("packaging/homebrew/surveyor.rb", "packages/source/", r"-\d+(?:\.\d+)*\.tar\.gz",
          _source_archive),
    Value("packaging/mason/packages/surveyor/package.yaml", "^homepage: ", "$", _homepage),
    Value("packaging/mason/packages/surveyor/package.yaml", "pkg:pypi/", "@", _name),
    Value("packaging/nix/flake.nix", "uvx --quiet ", "@", _name),
    *(Value("docs/service.md", rf"^\| `{way} ", "[` ]", _name)
      for way in ("uvx", "uv tool install", "pipx install", "pip install")),
)  # fmt: skip


def identity(root: Path = ROOT) -> Identity:
    """What packaging/identity.toml says; ends the program where it cannot be."""
    said = tomllib.loads((root / SOURCE).read_text("utf-8"))
    who = Identity(said["repository"], said["distribution"])
    if who.repository and not REPOSITORY.fullmatch(who.repository):
        sys.exit(f"{SOURCE}: {who.repository} is no https:// address of a repository")
    if not DISTRIBUTION.fullmatch(who.distribution):
        sys.exit(f"{SOURCE}: {who.distribution} is no name that package indexes take as it is")
    return who


def wrong(root: Path, who: Identity) -> Iterator[tuple[Path, str]]:
    """Files that say something else, each with what it should say."""
    texts: dict[str, str] = {}
    for place in PLACES:
        text = texts.get(place.file) or (root / place.file).read_text("utf-8")
        texts[place.file] = place.put(text, who)
    for name, text in texts.items():
        if (root / name).read_text("utf-8") != text:
            yield root / name, text


def main() -> int:
    """Write, or check; returns 1 where a check found something."""
    found = list(wrong(ROOT, identity()))
    for file, text in found:
        print(file.relative_to(ROOT))
        if "--check" not in sys.argv:
            file.write_text(text, "utf-8")
    return 1 if found and "--check" in sys.argv else 0


if __name__ == "__main__":
    sys.exit(main())
