"""What looks after an index: watch, queue, config, doctor's report, status, the HTTP pages."""

import http.client
import json
import re
import socket
import tomllib
from pathlib import Path
from typing import Any

import pytest

from tests.product import Product, until, write_tree
from tests.web.site import html, served


def project(surveyor: Product, folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = surveyor.json("status", str(folder))["projects"][0]
    return found


def get(surveyor: Product, path: str) -> tuple[int, str]:
    """An answer from the engine's private socket."""
    connection = http.client.HTTPConnection("engine")
    connection.sock = socket.socket(socket.AF_UNIX)
    connection.sock.connect(str(surveyor.runtime / "engine.sock"))
    connection.request("GET", path)
    answer = connection.getresponse()
    text = answer.read().decode()
    connection.close()
    return answer.status, text


def test_what_is_not_followed_says_so_and_what_is_purged_is_empty(
    surveyor: Product, tmp_path: Path
) -> None:
    shop = write_tree(tmp_path / "shop")
    surveyor.index(shop)
    surveyor.run("watch", "disable", str(shop))
    assert surveyor.json("watch", "list")["watches"][0]["watched"] is False
    found = project(surveyor, shop)
    assert (found["status"], found["reason"], found["files"]) == ("uncertain", "not_watched", 6)
    assert surveyor.paths("total_price", shop)[0] == "shop/cart.py"
    surveyor.run("watch", "disable", str(shop), "--purge")
    found = project(surveyor, shop)
    assert (found["reason"], found["files"], found["files_behind"]) == ("not_indexed", 0, 0)
    assert surveyor.paths("total_price", shop) == []
    assert found["disk_bytes"] == 0
    until(lambda: not surveyor.run("def", "Cart", "--project", str(shop), check=False).stdout)
    surveyor.run("watch", "enable", str(shop))
    assert surveyor.settle(shop)["files"] == 6
    assert surveyor.paths("total_price", shop)[0] == "shop/cart.py"


def test_a_projects_own_settings_count_at_once_and_for_it_alone(
    surveyor: Product, tmp_path: Path
) -> None:
    shop, other = write_tree(tmp_path / "shop"), write_tree(tmp_path / "other")
    (shop / "long.py").write_text("def aardvark():\n    return 1\n" + "# padding\n" * 150_000)
    for folder in (shop, other):
        surveyor.index(folder)
    assert "long.py" not in surveyor.paths("aardvark", shop)
    (shop / "surveyor.toml").write_text(
        '[indexing]\nmax_file_size = "4MB"\n[watching]\nignore_patterns = ["tests/"]\n'
        "[search]\ncoherence = false\nb = 0.1\n"
    )
    until(lambda: "long.py" in surveyor.paths("aardvark", shop))
    until(lambda: "tests/test_cart.py" not in surveyor.paths("total price", shop))
    assert "tests/test_cart.py" in surveyor.paths("total price", other)

    def parts(folder: Path) -> set[str]:
        found = surveyor.search("total price of a cart", folder, "--explain")["results"][0]
        return {part["name"] for part in found["explain"]}

    assert "coherence" in parts(other) - parts(shop)
    said = surveyor.json("doctor", "--no-measure")["findings"]
    assert any("search.b is the user's to set" in finding["message"] for finding in said)


def test_the_report_to_send_holds_no_code_names_or_secrets(
    surveyor: Product, tmp_path: Path
) -> None:
    secret = write_tree(tmp_path / "gin")
    surveyor.index(secret)
    surveyor.run("config", "set", "qdrant.api_key", "hunter2")
    surveyor.run("config", "set", "ask.api_key", "hunter2")
    surveyor.run("config", "set", "ask.endpoint", "http://me:hunter2@wombats:80/v1")
    assert "hunter2" not in json.dumps(surveyor.json("status"))
    surveyor.run("config", "set", "watching.ignore_patterns", '["bilby/**"]')
    surveyor.run("config", "set", "memory.notes", str(tmp_path / "wombats"))
    gone = write_tree(tmp_path / "platypus")
    surveyor.index(gone)
    surveyor.run("projects", "remove", str(gone), "--yes")
    report = tmp_path / "report.txt"
    said = surveyor.json("doctor", "--output", str(report))
    assert said["machine"]["model"]["speed"]["chunks_per_s"] > 1
    text = report.read_text()
    assert re.search(r"ok machine: \d.* cores?.* of memory", text)
    assert re.search(r"ok capacity: a repository of about [\d,]+ chunks", text)
    assert "<project 1>: healthy, 6 files" in text and "[engine]" in text.replace(
        "engine:", "[engine]"
    )
    assert not re.search(r"\bgin\b|hunter2|total_price|cart|bilby|wombats|platypus", text)
    assert str(tmp_path) not in text


def test_status_names_limits_and_sizes(surveyor: Product, tmp_path: Path) -> None:
    shop = write_tree(tmp_path / "shop")
    surveyor.index(shop)
    assert project(surveyor, shop)["disk_bytes"] > 0
    said = surveyor.run("status").stdout
    assert "at most the vectors of 32 projects" in said and "files up to 1.0 MB" in said


def test_the_http_pages(surveyor: Product, tmp_path: Path) -> None:
    surveyor.index(write_tree(tmp_path / "shop"))
    status, text = get(surveyor, "/health")
    assert status == 200 and json.loads(text)["status"] == "ok"
    families = get(surveyor, "/metrics")[1].split("# HELP ")[1:]
    for family in families:
        means, kind, *samples = family.splitlines()
        name = means.split()[0]
        assert kind.rpartition(" ")[0] == f"# TYPE {name}"
        assert samples and all(re.fullmatch(rf"{name}({{.*}})? \S+", each) for each in samples)
    assert "surveyor_projects 1" in families[2]
    described = json.loads(get(surveyor, "/openapi.json")[1])
    assert {"/v1/search", "/v1/index", "/v1/status"} <= described["paths"].keys()
    assert get(surveyor, "/nothing")[0] == 404


def test_a_report_of_an_index_run_has_the_promised_keys(surveyor: Product, tmp_path: Path) -> None:
    keys = {
        "mode", "files_indexed", "chunks_created", "embeddings_generated", "duration_ms", "errors",
    }  # fmt: skip
    shop = write_tree(tmp_path / "shop")
    first = surveyor.index(shop)
    assert keys <= first.keys() and first["mode"] == "full"
    assert surveyor.json("reindex", str(shop))["mode"] == "incremental"
    clean = surveyor.json("reindex", str(shop), "--clean")
    assert (clean["mode"], clean["files_indexed"]) == ("clean", 6)


def test_settings_are_shown_as_they_are_written(surveyor: Product) -> None:
    surveyor.run("config", "set", "watching.ignore_patterns", '["a/**"]')
    surveyor.run("config", "set", "ask.api_key", "hunter2")
    surveyor.run("config", "set", "ask.endpoint", "http://me:hunter2@models:80/v1")
    shown = tomllib.loads(surveyor.run("config", "show").stdout)
    assert shown["watching"]["ignore_patterns"] == ["a/**"]
    assert shown["ask"]["api_key"] == "***"
    assert shown["ask"]["endpoint"] == "http://***@models:80/v1"
    assert shown["indexing"]["auto_index"] is True


def test_a_second_engine_is_refused_in_words(surveyor: Product) -> None:
    surveyor.run("engine", "start")
    done = surveyor.run("engine", "run", check=False)
    assert done.returncode == 1 and "already serves" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["config", "set", "foo.bar", "1"], 2, "no section"),
        (["config", "set", "engine.workrs", "1"], 2, "did you mean 'workers'"),
        (["config", "set", "search.k1", "much"], 2, "search.k1"),
        (["queue", "show", "nothing"], 3, "no queue item"),
        (["config", "set", "watching.ignore_patterns", "a/**"], 2, 'as in TOML: \'["one"'),
        (["projects", "remove", "nothing", "--yes"], 3, "no project"),
        (["projects", "remove", "nothing"], 3, "no project"),
    ],
)
def test_what_cannot_be_done_is_said(
    surveyor: Product, arguments: list[str], code: int, said: str
) -> None:
    done = surveyor.run(*arguments, check=False)
    assert done.returncode == code and said in done.stderr


@pytest.mark.parametrize("inside", ["shop", "shop/cart.py"])
def test_a_place_in_a_project_is_not_taken_for_all_of_it(
    surveyor: Product, tmp_path: Path, inside: str
) -> None:
    """A mistyped path dropped the whole index, and without the question."""
    shop = write_tree(tmp_path / "store")
    surveyor.index(shop)
    for command in (("projects", "remove"), ("watch", "disable", "--purge")):
        done = surveyor.run(*command, str(shop / inside), check=False)
        assert done.returncode == 2 and f"is a place in {shop}" in done.stderr, done
    assert surveyor.paths("total_price", shop)[0] == "shop/cart.py"


def test_a_setting_below_a_word_is_refused_and_nothing_is_lost(surveyor: Product) -> None:
    surveyor.run("config", "set", "lsp.mode", "companion")
    done = surveyor.run("config", "set", "lsp.mode.python", "proxy", check=False)
    assert done.returncode == 2 and "has no keys" in done.stderr
    assert (
        json.loads(surveyor.run("config", "show", "--json").stdout)["settings"]["lsp"]["mode"]
        == "companion"
    )


def test_an_engine_starts_whatever_its_file_says(surveyor: Product) -> None:
    file = Path(surveyor.run("config", "path").stdout.strip())
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text('[engine]\nlog_level = "loud"\n[model]\nname = "nonsense"\n[lsp]\nmode = 1\n')
    surveyor.run("engine", "start")
    assert "loud" in surveyor.run("doctor", "--no-measure", check=False).stdout


def test_pages_are_fetched_once_the_user_allows_their_host(surveyor: Product) -> None:
    with served() as site:
        site.pages["/docs/"] = html("Herons stand in shallow water for hours.", next="next.html")
        site.pages["/docs/next.html"] = html("Kingfishers dive from a branch above the water.")
        begin = ("library", "fetch", site.url("/docs/", "localhost"), "--crawl", "--name", "birds")

        refused = surveyor.run(*begin, check=False)
        assert (refused.returncode, site.asked) == (2, [])
        listed = f'["localhost:{site.port}"]'
        assert f"surveyor config set web.private_hosts '{listed}'" in refused.stderr

        for key, value in (("enabled", "true"), ("private_hosts", listed)):
            surveyor.run("config", "set", f"web.{key}", value)
        read = surveyor.json(*begin)
        assert (read["reason"], read["stored"]) == ("done", 2)
        found = surveyor.json("library", "search", "kingfishers dive", "--name", "birds")
        assert found["results"][0]["url"] == site.url("/docs/next.html", "localhost")
        assert surveyor.run("library", "refresh", "birds").stdout.startswith(
            "birds: 0 new or changed, 2 as before"
        )
        surveyor.run("config", "set", "web.enabled", "false")
