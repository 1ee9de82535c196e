"""The configuration: sources, overrides, and what is wrong in them."""

import re
from pathlib import Path

import pytest

from surveyor import config
from surveyor.config import last_good
from surveyor.config.rank_settings import RankSettings
from surveyor.config.reference import reference, template
from surveyor.errors import UsageError

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
