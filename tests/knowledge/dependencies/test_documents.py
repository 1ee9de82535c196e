"""Real installed packages, and source as each language documents it."""

import importlib.metadata
import json
from pathlib import Path

from surveyor.knowledge.dependencies import Package, documents
from surveyor.knowledge.dependencies.comments import DocumentedName, declarations, docstrings, read


def test_an_installed_python_package_tells_its_readme_and_docstrings() -> None:
    installed = importlib.metadata.distribution("pathspec")
    site = Path(str(installed.locate_file("")))
    found = {one.name: one for one in documents(Package("python", "pathspec", "1", site))}
    assert "pathspec" in found["README"].document.title
    sections = found["pathspec.pathspec"].document.sections
    names = {one.headings for one in sections}
    assert ("pathspec.pathspec", "PathSpec") in names
    method = next(one for one in sections if one.headings[-1] == "match_file")
    assert "def match_file(self" in method.text
    source = found["pathspec.pathspec"].path.read_text().splitlines()
    assert "def match_file" in source[method.start_line - 1]


def test_a_node_module_tells_its_readme_and_declarations(tmp_path: Path) -> None:
    root = tmp_path / "node_modules" / "pad"
    (root / "lib").mkdir(parents=True)
    (root / "package.json").write_text(json.dumps({"description": "Pads strings"}))
    (root / "readme.md").write_text("# pad\n\nUse it.\n")
    (root / "lib" / "index.d.ts").write_text(
        "/** Pads. */\nexport function pad(s: string): string;"
    )
    types = tmp_path / "node_modules" / "@types" / "pad"
    types.mkdir(parents=True)
    (types / "extra.d.ts").write_text("export interface Extra { a: 1 }\n")
    found = {one.name: one.document for one in documents(Package("npm", "pad", "1.0", root))}
    assert found["README"].title == "pad 1.0: Pads strings"
    assert found["lib.index"].sections[0].text == "Pads.\nexport function pad(s: string): string;"
    assert found["extra"].sections[0].headings == ("extra", "Extra")


def test_crates_and_go_modules_tell_their_comments(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "lib.rs").write_text("//! A crate.\n\n/// Runs.\npub fn run() {}\n")
    (tmp_path / "README.md").write_text("# crate\n\nHello\n")
    (crate_readme, crate) = documents(Package("cargo", "c", "1", tmp_path))
    assert crate_readme.name == "README"
    assert [one.text for one in crate.document.sections] == ["A crate.", "pub fn run() {}\n\nRuns."]
    (tmp_path / "a.go").write_text("// Package a does it.\npackage a\n")
    (tmp_path / "a_test.go").write_text("// Package a is tested.\npackage a\n")
    names = [one.name for one in documents(Package("go", "example.org/a", "v1", tmp_path))]
    assert names == ["README", "a"]


def test_python_docstrings_name_what_is_public() -> None:
    source = '''"""Module."""
class A(Base):
    """Class."""
    async def go(self, x: int = 1) -> str:
        """Goes."""
    def _hidden(self):
        """No."""
def plain(): ...
'''
    assert docstrings(source, "m") == [
        DocumentedName((), "Module.", 1),
        DocumentedName(("A",), "class A(Base)\n\nClass.", 2),
        DocumentedName(("A", "go"), "async def go(self, x: int=1) -> str\n\nGoes.", 4),
    ]
    assert docstrings("def broken(:", "m") == []


def test_declarations_keep_their_jsdoc() -> None:
    source = """import x from 'y';
/**
 * Makes a box.
 * @param a size
 */
export declare function box(a: number): Box;
export interface Box {
    /** How wide. */
    width: number;
}
/** Not exported. */
interface Hidden {}
declare const LIMIT: 5;
"""
    found = {one.path[0]: one for one in declarations(source)}
    assert list(found) == ["box", "Box", "LIMIT"]
    assert found["box"].text.startswith("Makes a box.\n@param a size\nexport declare function box")
    assert "How wide." in found["Box"].text
    assert found["LIMIT"].line == 13


def test_rust_and_go_doc_comments_stand_before_their_items() -> None:
    rust = (
        "/// Adds.\n///\n/// Two.\n#[inline]\npub const fn add(a: u8) -> u8 {\n// no\nfn x() {}\n"
    )
    assert read(rust, ".rs") == [
        DocumentedName(("add",), "pub const fn add(a: u8) -> u8\n\nAdds.\n\nTwo.", 5)
    ]
    go = "// Get fetches.\nfunc (c *Client) Get(u string) error {\n// lower\nfunc x() {}\n"
    assert read(go, ".go") == [
        DocumentedName(("Client", "Get"), "func (c *Client) Get(u string) error\n\nGet fetches.", 2)
    ]
