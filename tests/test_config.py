"""The configuration: sources, overrides, and what is wrong in them."""

import json
import re
import time
from pathlib import Path

import pytest

from surveyor import config, paths, user_path
from surveyor.config import last_good
from surveyor.config.rank_settings import RankSettings
from surveyor.config.reference import reference, template
from surveyor.errors import UsageError
from surveyor.servers.trust import Trust

DOCS = Path(__file__).parent.parent / "docs"


@pytest.fixture(autouse=True)
def user_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    file = tmp_path / "surveyor.toml"
    monkeypatch.setenv("SURVEYOR_CONFIG", str(file))
    return file


def test_defaults_without_any_file() -> None:
    loaded = config.load()
    assert loaded.warnings == ()
    assert loaded.settings.indexing.max_file_size == 1 << 20


def test_an_unknown_key_names_the_nearest(user_file: Path) -> None:
    user_file.write_text("[engine]\nidle_timeot = 5\nworkers = 3\n")
    loaded = config.load()
    assert loaded.settings.engine.workers == 3
    assert "did you mean 'idle_timeout'" in loaded.warnings[0]


def test_a_bad_value_is_named_with_the_default(user_file: Path) -> None:
    user_file.write_text('[indexing]\nmax_file_size = "huge"\nchunk_chars = 900\n')
    loaded = config.load()
    assert loaded.settings.indexing.max_file_size == 1 << 20
    assert loaded.settings.indexing.chunk_chars == 900
    assert "huge" in loaded.warnings[0] and "1048576" in loaded.warnings[0]


def test_a_file_that_is_no_toml_is_named(user_file: Path) -> None:
    user_file.write_text("[[[")
    assert str(user_file) in config.load().warnings[0]


def test_the_environment_wins(user_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    user_file.write_text("[engine]\nworkers = 3\n")
    monkeypatch.setenv("SURVEYOR_ENGINE__WORKERS", "4")
    monkeypatch.setenv("SURVEYOR_ENGINE__IDLE_TIMEOUT", "90")
    monkeypatch.setenv("SURVEYOR_ENGINE__WORKER_IDLE", "2m")
    monkeypatch.setenv("SURVEYOR_STORAGE__MAX_SIZE", "5000000")
    monkeypatch.setenv("FASTEMBED_MODEL", "some/model")
    monkeypatch.setenv("QDRANT_URL", "http://localhost:6333")
    settings = config.load().settings
    assert settings.engine.workers == 4
    assert (settings.engine.idle_timeout, settings.engine.worker_idle) == (90.0, 120.0)
    assert settings.storage.max_size == 5_000_000
    assert settings.model.name == "some/model"
    assert settings.qdrant.url == "http://localhost:6333"


def test_a_bad_variable_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SURVEYOR_ENGINE__WORKERS", "many")
    loaded = config.load()
    assert loaded.settings.engine.workers == 0
    assert "many" in loaded.warnings[0]


def test_variables_with_lists_and_sections_are_json(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SURVEYOR_WATCHING__PATTERNS", '["*.py"]')
    monkeypatch.setenv("SURVEYOR_LSP__MODE", '{"python": "full"}')
    monkeypatch.setenv("SURVEYOR_INDEXING", '{"chunk_chars": 900, "auto_index": true}')
    monkeypatch.setenv("surveyor_indexing__auto_index", "no")
    loaded = config.load()
    assert loaded.settings.watching.patterns == ["*.py"]
    assert loaded.settings.lsp.mode == {"python": "full"}
    indexing = loaded.settings.indexing
    assert (indexing.chunk_chars, indexing.auto_index, loaded.warnings) == (900, False, ())
    monkeypatch.setenv("SURVEYOR_LSP__MODE", "full")
    assert config.load().settings.lsp.mode == "full"


def test_a_variable_that_is_no_json_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SURVEYOR_WATCHING__PATTERNS", "[broken")
    monkeypatch.setenv("SURVEYOR_ENGINE", '{"workers": 3')
    loaded = config.load()
    assert (loaded.settings.watching.patterns, loaded.settings.engine.workers) == ([], 0)
    assert {text.split(":")[0].split(" ")[0] for text in loaded.warnings} == {
        "engine",
        "watching.patterns",
    }


def test_a_project_may_set_some_sections_only(tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    (project / "surveyor.toml").write_text(
        '[indexing]\nmax_file_size = "2MB"\n[model]\nname = "evil"\n'
    )
    loaded = config.load(project)
    assert loaded.settings.indexing.max_file_size == 2 << 20
    assert loaded.settings.model.name != "evil"
    assert "[model]" in loaded.warnings[0]


def test_only_the_users_own_file_allows_hosts(
    user_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "repo").mkdir()
    (tmp_path / "repo" / "surveyor.toml").write_text(
        '[web]\nenabled = true\nhosts = ["evil.org"]\n'
    )
    monkeypatch.setenv("SURVEYOR_WEB__ENABLED", "true")
    monkeypatch.setenv("SURVEYOR_WEB__HOSTS", '["evil.org"]')
    loaded = config.load(tmp_path / "repo")
    assert (loaded.settings.web.enabled, loaded.settings.web.hosts) == (False, [])
    assert len([each for each in loaded.warnings if "[web]" in each]) == 2

    user_file.write_text('[web]\nenabled = true\nhosts = ["good.org"]\n[engine]\nworkers = 3\n')
    loaded = config.load(tmp_path / "repo")
    assert (loaded.settings.web.enabled, loaded.settings.web.hosts) == (True, ["good.org"])


def test_no_variable_says_where_code_is_sent(
    user_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SURVEYOR_ASK__ENDPOINT", "http://evil.org/v1")
    loaded = config.load()
    assert loaded.settings.ask.endpoint is None
    assert [each for each in loaded.warnings if "[ask]" in each]
    user_file.write_text('[ask]\nendpoint = "http://localhost:11434/v1"\n')
    assert config.load().settings.ask.endpoint == "http://localhost:11434/v1"


@pytest.mark.parametrize(
    ("users", "named", "counts"),
    [
        ("", "http://localhost:6333", True),
        ("", "http://127.0.0.1:9", True),
        ("", "http://[::1]:6333", True),
        ("", "http://evil.org:6333", False),
        ("", "http://127.0.0.1.evil.org:6333", False),
        ("", "http://localhost@evil.org:6333", False),
        ('[trust]\nstores = ["https://q.example.org"]\n', "https://q.example.org:443", True),
        ('[trust]\nstores = ["https://q.example.org"]\n', "http://q.example.org:443", False),
        ('[qdrant]\nurl = "http://q.lan:6333"\n', "http://q.lan:6333/", True),
    ],
)
def test_a_variable_names_only_a_store_that_the_user_allows(
    user_file: Path, monkeypatch: pytest.MonkeyPatch, users: str, named: str, counts: bool
) -> None:
    user_file.write_text(users)
    monkeypatch.setenv("QDRANT_API_KEY", "of-the-variable")
    monkeypatch.setenv("SURVEYOR_TRUST__STORES", f'["{named}"]')
    for variable in ("QDRANT_URL", "SURVEYOR_QDRANT__URL"):
        monkeypatch.setenv(variable, named)
        loaded = config.load()
        refused = [each for each in loaded.warnings if "surveyor config set trust.stores" in each]
        assert (loaded.settings.qdrant.url == named, not refused) == (counts, counts)
        assert (loaded.settings.qdrant.api_key is not None) == counts
        monkeypatch.delenv(variable)


def test_a_settings_file_in_a_repository_is_the_repositorys(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    usual = paths.usual_config_file()
    repository = tmp_path / "home" / "repo"
    (repository / "data").mkdir(parents=True)
    (repository / ".envrc").touch()
    said = (
        '[ask]\nendpoint = "http://evil.org/v1"\n[qdrant]\nurl = "http://evil.org"\n'
        '[environment]\nuser_path = "/evil"\n[trust]\nstores = ["http://evil.org"]\n'
        "[indexing]\nmax_file_size = 4096\n"
    )
    file = repository / "data" / "surveyor.toml"
    file.write_text(said)
    recalled = {"values": {"qdrant": {"url": "http://evil.org"}}, "gone_since": time.time()}
    (repository / "data" / "settings.json").write_text(json.dumps({str(usual): recalled}))
    (repository / "data" / "trusted.json").write_text(json.dumps([str(repository)]))
    for variables in (
        {"SURVEYOR_CONFIG": str(file)},
        {"SURVEYOR_DATA_DIR": str(repository / "data")},
        {"SURVEYOR_DATA_DIR": str(repository / "data"), "SURVEYOR_CONFIG": str(usual)},
    ):
        monkeypatch.delenv("SURVEYOR_CONFIG", raising=False)
        monkeypatch.delenv("SURVEYOR_DATA_DIR", raising=False)
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        loaded = config.load()
        assert (loaded.settings.ask.endpoint, loaded.settings.qdrant.url) == (None, None)
        assert loaded.settings.trust.stores == []
        if paths.config_file() == file:
            assert loaded.settings.indexing.max_file_size == 4096
            assert "[ask], [qdrant], [trust] of it do not count" in loaded.warnings[0]
            assert user_path.stored_path(file) == ""
    assert not Trust(repository / "data" / "trusted.json").is_trusted(repository)

    monkeypatch.delenv("SURVEYOR_DATA_DIR")
    monkeypatch.setenv("SURVEYOR_CONFIG", str(file))
    usual.parent.mkdir(parents=True)
    usual.write_text(f'[trust]\nsettings = ["{file}"]\n')
    assert config.load().settings.ask.endpoint == "http://evil.org/v1"


def test_the_web_is_off_when_the_users_file_does_not_say_otherwise_any_more(
    user_file: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("SURVEYOR_DATA_DIR", str(tmp_path))
    said = "[web]\nenabled = true\n[engine]\nworkers = 3\n"
    for broken in (said + "[[[", ""):
        user_file.write_text(said)
        last_good.remember(config.load().found)
        user_file.write_text(broken)
        settings = config.load().settings
        assert (settings.engine.workers, settings.web.enabled) == (3, False)


def test_a_part_of_the_ranking_is_set_and_the_others_stay(user_file: Path) -> None:
    user_file.write_text("[search]\nb = 0.5\ntests_weight = 0.9\nfusoin = true\n")
    loaded = config.load()
    search = loaded.settings.search
    found = RankSettings(**{name: getattr(search, name) for name in RankSettings.__slots__})
    assert (search.b, found.tests_weight) == (0.5, 0.9)
    assert found.fusion is RankSettings().fusion
    assert len(loaded.warnings) == 1 and "did you mean 'fusion'" in loaded.warnings[0]


def test_every_part_of_the_ranking_is_a_setting() -> None:
    search = config.Settings().search
    assert (
        RankSettings(**{name: getattr(search, name) for name in RankSettings.__slots__})
        == RankSettings()
    )


def test_the_reference_is_what_the_code_says() -> None:
    assert (DOCS / "configuration.md").read_text() == reference(), "run `make docs`"


def test_the_template_is_all_comments_and_parses(user_file: Path) -> None:
    user_file.write_text(template())
    assert config.load().warnings == ()


def test_a_level_a_mode_and_an_address_that_do_not_exist_are_named(user_file: Path) -> None:
    user_file.write_text(
        '[engine]\nlog_level = "loud"\n[lsp]\nmode = "both"\nsymbol_limit = 7\n'
        '[qdrant]\nurl = "not an address"\n'
    )
    loaded = config.load()
    assert loaded.settings.engine.log_level == "info"
    assert (loaded.settings.lsp.mode, loaded.settings.lsp.symbol_limit) == ("proxy", 7)
    assert loaded.settings.qdrant.url is None
    assert len(loaded.warnings) == 3 and any("'loud'" in each for each in loaded.warnings)


def test_a_value_of_a_wrong_type_costs_itself_alone(user_file: Path) -> None:
    user_file.write_text("[lsp]\nmode = 5\nsymbol_limit = 7\n")
    loaded = config.load()
    assert (loaded.settings.lsp.mode, loaded.settings.lsp.symbol_limit) == ("proxy", 7)
    assert len(loaded.warnings) == 1 and "lsp.mode = 5" in loaded.warnings[0]


@pytest.mark.parametrize(
    ("section", "key", "value", "said"),
    [
        ("engine", "log_level", "loud", "'debug', 'info'"),
        ("engine", "log_levl", "info", "did you mean 'log_level'"),
        ("upstream.python", "command", "pyright", "list"),
        ("upstream.python", "comand", ["pyright"], "did you mean 'command'"),
        ("lsp.hover", "similar", 3, "boolean"),
        ("lsp.mode", "python", "both", "proxy, full, companion, auto"),
        ("wombat", "x", 1, "no section [wombat]"),
        ("ask", "endpoint", "ollama", "begin with http:// or https://"),
        ("ask", "endpoint", "localhost:11434/v1", "as in http://localhost:11434/v1"),
        ("ask", "endpoint", "http://host:port/v1", "begin with http://"),
        ("ask", "endpoint", "http:///v1", "begin with http://"),
        ("ask", "endpoint", "http://127.0.0.1:/v1", "begin with http://"),
        ("qdrant", "url", "http://[::1]:", "begin with http://"),
        ("qdrant", "url", "somewhere", "as in http://localhost:6333"),
        ("qdrant", "url", "localhost:0", "begin with http://"),
        ("qdrant", "url", "localhost:99999", "begin with http://"),
        ("qdrant", "url", "ftp://q.example.org", "begin with http://"),
        ("web", "search", "file:///etc/passwd", "as in https://searx.example.org"),
        ("web", "search", "brave", "begin with http://"),
    ],
)
def test_what_cannot_be_set_is_refused(section: str, key: str, value: object, said: str) -> None:
    with pytest.raises(UsageError, match=re.escape(said)):
        config.check_value(section, key, value)


def test_what_can_be_set_is_not_refused() -> None:
    config.check_value("engine", "log_level", "WARNING")
    config.check_value("upstream.python", "command", ["pyright-langserver", "--stdio"])
    config.check_value("lsp.hover", "similar", False)
    config.check_value("lsp.mode", "python", "companion")
    config.check_value("qdrant", "url", "localhost:6333")
    config.check_value("qdrant", "url", "https://q.example.org")
    config.check_value("ask", "endpoint", "http://[::1]:11434/v1")
    config.check_value("ask", "endpoint", "")
