import pytest
from hypothesis import given
from hypothesis import strategies as st

from surveyor.knowledge import rules
from surveyor.knowledge.rules import Rule, RuleError, checked

TEXT = st.text(" \n\r\t#>-`*_:, aZ9é✓\u2028\x0b\x85", max_size=60)
LABELS = st.lists(st.text("abz09", min_size=1, max_size=6), min_size=1, max_size=4).map("-".join)
LINE = st.text(" aZ9é✓:>#-\n\x85", max_size=18)


@st.composite
def any_rule(draw: st.DrawFn) -> Rule:
    rule = Rule(
        label=draw(LABELS),
        content=draw(TEXT.filter(lambda text: bool(text.strip()))),
        scope=draw(st.sampled_from(["global", "project"])),
        title=draw(LINE),
        tags=tuple(draw(st.lists(LINE, max_size=5))),
        type=draw(st.sampled_from([None, "preference", "behaviour", "constraint", "pattern"])),
        priority=draw(st.none() | st.integers(1, 10)),
        anchor=draw(st.sampled_from(["", "src/a.py", "Class.method"])),
        created_at=draw(st.sampled_from(["", "2026-01-30T12:00:00Z"])),
    )
    try:
        return checked(rule)[0]
    except RuleError:
        return Rule(label="fallback", content="x")


@given(st.lists(any_rule(), max_size=4, unique_by=lambda rule: (rule.scope, rule.label)))
def test_what_is_exported_is_what_is_imported(some: list[Rule]) -> None:
    expected = rules.order(some)
    assert rules.parse(rules.to_json(some)) == expected
    assert rules.parse(rules.to_markdown(some)) == expected


@pytest.mark.parametrize(
    ("rule", "names"),
    [
        (Rule("Prefer UV", "x"), "prefer-uv"),
        (Rule("a--b", "x"), "a--b"),
        (Rule("a" * 41, "x"), "41 characters"),
        (Rule("a", "  \n"), "no content"),
        (Rule("a", "x", title="t" * 51), "51 characters"),
        (Rule("a", "x", tags=tuple("abcdef")), "6 tags"),
        (Rule("a", "x", tags=("t" * 21,)), "at most 20"),
        (Rule("a", "x", priority=11), "between 1 and 10"),
        (Rule("a", "x", type="law"), "preference"),  # type: ignore[arg-type]
    ],
)
def test_a_bad_field_is_named_with_what_is_allowed(rule: Rule, names: str) -> None:
    with pytest.raises(RuleError) as caught:
        checked(rule)
    assert names in caught.value.message + caught.value.hint


def test_a_long_label_is_warned_about_and_kept() -> None:
    rule, warnings = checked(Rule("always-use-the-parser", "x"))
    assert rule.label == "always-use-the-parser"
    assert "21 characters" in warnings[0]
    assert checked(Rule("prefer-uv", "x"))[1] == []


def test_injection_puts_global_rules_first_each_by_date() -> None:
    some = [
        Rule("late", "L", created_at="2026-03-01"),
        Rule("here", "H", scope="project", created_at="2026-01-01", anchor="src/a.py"),
        Rule("early", "E\nsecond line", created_at="2026-01-01"),
    ]
    text = rules.injection(some, "shop")
    assert text.index("early") < text.index("late") < text.index("## In shop") < text.index("here")
    assert "E\n  second line" in text
    assert "about src/a.py" in text
    assert rules.injection([]) == ""


def test_injection_keeps_its_limit_and_says_what_is_missing() -> None:
    some = [Rule(f"rule-{i:02}", "x" * 90, priority=10 if i == 19 else None) for i in range(20)]
    text = rules.injection(some, max_chars=500)
    assert len(text) < 700
    assert "rule-19" in text
    assert "16 more did not fit" in text


def test_markdown_written_by_hand_is_read() -> None:
    (rule,) = rules.parse("# Ours\n\n## use-uv\n- tags: python, tools\n\nUse uv.\n\n- not pip\n")
    assert rule == Rule("use-uv", "Use uv.\n\n- not pip", tags=("python", "tools"))


def test_a_file_that_is_no_export_says_so() -> None:
    with pytest.raises(RuleError, match="not JSON"):
        rules.parse("{nonsense")
    with pytest.raises(RuleError, match="no list of rules"):
        rules.parse('{"a": 1}')
    with pytest.raises(RuleError, match="rule 1: tags"):
        rules.parse('[{"label": "a", "content": "b", "tags": "x"}]')
