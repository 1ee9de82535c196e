import json
from pathlib import Path

from surveyor.knowledge import transcripts


def test_claude_code_sessions_keep_what_was_said_and_where(tmp_path: Path) -> None:
    lines = [
        {"type": "summary", "summary": "Fix the login"},
        {
            "type": "user",
            "cwd": "/home/me/shop",
            "timestamp": "2026-03-01T10:00:00.000Z",
            "message": {"role": "user", "content": "Why does login fail?"},
        },
        {
            "type": "assistant",
            "timestamp": "2026-03-01T10:01:00.000Z",
            "message": {
                "role": "assistant",
                "content": [
                    {"type": "thinking", "thinking": "hidden"},
                    {"type": "text", "text": "# Cause\nThe cookie expires."},
                    {"type": "tool_use", "name": "Read", "input": {"file": "auth.py"}},
                ],
            },
        },
        {
            "type": "user",
            "message": {"content": [{"type": "tool_result", "content": "whole file"}]},
        },
    ]
    file = tmp_path / "abc.jsonl"
    file.write_text("\n".join(map(json.dumps, lines)) + "\n{broken\n[]\n")

    session = transcripts.claude_code(file)

    assert session is not None
    assert (session.id, session.title, session.directory) == (
        "abc",
        "Fix the login",
        "/home/me/shop",
    )
    assert session.ended - session.started == 60
    text = session.markdown()
    assert text.startswith("# Fix the login\n\n## User (2026-03-01 10:00)\n\nWhy does login fail?")
    assert "### Cause" in text
    assert "`Read`" in text
    assert "hidden" not in text
    assert "whole file" not in text


def test_opencode_sessions_are_put_together_from_their_parts(tmp_path: Path) -> None:
    def write(name: str, value: object) -> None:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(value))

    write(
        "session/p1/ses_1.json",
        {
            "id": "ses_1",
            "title": "Speed",
            "directory": "/w",
            "time": {"created": 5000, "updated": 9000},
        },
    )
    write("message/ses_1/msg_b.json", {"id": "msg_b", "role": "assistant", "time": {"created": 2}})
    write("message/ses_1/msg_a.json", {"id": "msg_a", "role": "user", "time": {"created": 1}})
    write("part/msg_a/prt_1.json", {"type": "text", "text": "Make it fast"})
    write("part/msg_b/prt_1.json", {"type": "text", "text": "Done"})
    write(
        "part/msg_b/prt_2.json", {"type": "tool", "tool": "bash", "state": {"input": {"c": "ls"}}}
    )
    write("session/p1/ses_2.json", {"id": "ses_2", "title": "Empty"})

    (session,) = transcripts.opencode(tmp_path)

    assert [turn.role for turn in session.turns] == ["user", "assistant"]
    assert "Done" in session.markdown()
    assert "`bash`" in session.markdown()
    assert (session.title, session.directory) == ("Speed", "/w")


def test_markdown_is_a_session_of_its_own(tmp_path: Path) -> None:
    file = tmp_path / "2026-03-01.md"
    file.write_text("directory: /w\n\n# Monday\n\nTalked about caches.\n")
    session = transcripts.markdown(file)
    assert session is not None
    assert (session.title, session.directory) == ("Monday", "/w")
    file.write_text("  \n")
    assert transcripts.markdown(file) is None
