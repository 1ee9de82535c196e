"""Layouts as the tools themselves leave them on disk."""

import json
from pathlib import Path

from surveyor.knowledge.dependencies import PackageFolders, detect, not_installed


def write(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def distribution(site: str, name: str, version: str) -> dict[str, str]:
    folder = f"{site}/{name.replace('-', '_')}-{version}.dist-info"
    return {f"{folder}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"}


SITE = ".venv/lib/python3.11/site-packages"


def keys(
    project: Path, places: PackageFolders | None = None, *, transitive: bool = False
) -> list[str]:
    return [one.key for one in detect(project, places or PackageFolders(), transitive=transitive)]


def test_python_packages_are_those_declared_in_the_environment_beside_the_code(
    tmp_path: Path,
) -> None:
    write(
        tmp_path,
        {
            "pyproject.toml": '[project]\ndependencies = ["Flask>=2", "typing_extensions; x"]\n'
            '[project.optional-dependencies]\nfast = ["orjson"]\n'
            '[dependency-groups]\ndev = ["pytest", {include-group = "x"}]\n',
            "requirements-dev.txt": "# tools\nruff==1.0\n-r other.txt\n",
            ".venv/pyvenv.cfg": "",
            **distribution(SITE, "flask", "3.0.1"),
            **distribution(SITE, "typing-extensions", "4.0"),
            **distribution(SITE, "orjson", "3.1"),
            **distribution(SITE, "pytest", "8.0"),
            **distribution(SITE, "ruff", "1.0"),
            **distribution(SITE, "werkzeug", "3.0"),
        },
    )
    declared = [
        "python.flask@3.0.1",
        "python.orjson@3.1",
        "python.pytest@8.0",
        "python.ruff@1.0",
        "python.typing-extensions@4.0",
    ]
    assert keys(tmp_path) == declared
    assert keys(tmp_path, transitive=True) == [*declared, "python.werkzeug@3.0"]


def test_what_is_declared_and_nowhere_to_be_found_is_said(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "pyproject.toml": '[project]\ndependencies = ["Flask>=2", "Left_Pad"]\n',
            "web/package.json": '{"dependencies": {"zod": "^3"}}',
            "Cargo.toml": '[dependencies]\nserde = "1"\n',
            "go.mod": "module x\nrequire github.com/gin-gonic/gin v1.9.0\n"
            "require golang.org/x/net v0.1.0 // indirect\n",
            ".venv/pyvenv.cfg": "",
            **distribution(SITE, "flask", "3.0.1"),
        },
    )
    found = detect(tmp_path, PackageFolders())
    assert [one.key for one in found] == ["python.flask@3.0.1"]
    assert not_installed(tmp_path, found) == [
        ("cargo", "serde"), ("go", "github.com/gin-gonic/gin"), ("npm", "zod"),
        ("python", "left-pad"),
    ]  # fmt: skip


def test_a_named_environment_is_used_and_the_system_only_as_a_last_resort(tmp_path: Path) -> None:
    project = tmp_path / "project"
    write(project, {"requirements.txt": "attrs\n"})
    write(tmp_path, distribution("env/lib/python3.12/site-packages", "attrs", "23.0"))
    write(tmp_path, distribution("usr/lib/python3.9/site-packages", "attrs", "1.0"))
    system = (tmp_path / "usr",)
    assert keys(project) == []
    assert keys(project, PackageFolders(fallback_python=system)) == ["python.attrs@1.0"]
    named = PackageFolders(python=(tmp_path / "env",), fallback_python=system)
    assert keys(project, named) == ["python.attrs@23.0"]


def test_node_modules_are_found_from_each_package_upwards(tmp_path: Path) -> None:
    def module(name: str, version: str) -> str:
        return json.dumps({"name": name, "version": version})

    write(
        tmp_path,
        {
            "package.json": json.dumps({"dependencies": {"left-pad": "^1"}}),
            "node_modules/left-pad/package.json": module("left-pad", "1.3.0"),
            "node_modules/@scope/tool/package.json": module("@scope/tool", "2.0.0"),
            "node_modules/deep/package.json": module("deep", "9.0.0"),
            "packages/app/package.json": json.dumps({"devDependencies": {"@scope/tool": "*"}}),
            "node_modules/left-pad/node_modules/x/package.json": module("x", "1.0.0"),
        },
    )
    assert keys(tmp_path) == ["npm.@scope/tool@2.0.0", "npm.left-pad@1.3.0"]
    assert "npm.deep@9.0.0" in keys(tmp_path, transitive=True)


def test_cargo_and_go_caches(tmp_path: Path) -> None:
    project = tmp_path / "project"
    write(
        project,
        {
            "Cargo.toml": '[dependencies]\nserde = "1"\nmio2 = {package = "mio"}\n',
            "Cargo.lock": "".join(
                f'[[package]]\nname = "{name}"\nversion = "{version}"\n'
                'source = "registry+https://example.org"\n'
                for name, version in [("serde", "1.0.2"), ("mio", "0.8.0"), ("libc", "0.2.1")]
            ),
            "svc/go.mod": "module example.org/svc\n\nrequire (\n"
            "\tgithub.com/Masterminds/semver v3.0.0\n"
            "\tgolang.org/x/sys v0.1.0 // indirect\n)\n",
        },
    )
    write(
        tmp_path,
        {
            "cargo/registry/src/index-1/serde-1.0.2/src/lib.rs": "",
            "cargo/registry/src/index-1/mio-0.8.0/src/lib.rs": "",
            "cargo/registry/src/index-1/libc-0.2.1/src/lib.rs": "",
            "gomod/github.com/!masterminds/semver@v3.0.0/version.go": "",
            "gomod/golang.org/x/sys@v0.1.0/sys.go": "",
        },
    )
    places = PackageFolders(cargo_home=tmp_path / "cargo", go_modules=tmp_path / "gomod")
    direct = ["cargo.mio@0.8.0", "cargo.serde@1.0.2", "go.github.com/Masterminds/semver@v3.0.0"]
    assert keys(project, places) == direct
    assert set(keys(project, places, transitive=True)) == {
        *direct,
        "cargo.libc@0.2.1",
        "go.golang.org/x/sys@v0.1.0",
    }


def test_broken_manifests_declare_nothing(tmp_path: Path) -> None:
    names = ("pyproject.toml", "package.json", "Cargo.toml", "Cargo.lock", "Pipfile")
    write(tmp_path, dict.fromkeys(names, "{[broken") | {"go.mod": "\0"})
    (tmp_path / "requirements.txt").write_bytes(b"\xff\xfe\x00")
    assert keys(tmp_path) == []


def test_the_usual_places_follow_the_users_environment(tmp_path: Path) -> None:
    places = PackageFolders.of_environment(
        {"HOME": str(tmp_path), "VIRTUAL_ENV": "/v", "GOPATH": "/g:/h"}
    )
    assert places.python == (Path("/v"),)
    assert places.cargo_home == tmp_path / ".cargo"
    assert places.go_modules == Path("/g/pkg/mod")
