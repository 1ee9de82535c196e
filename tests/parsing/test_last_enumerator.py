"""The last member of an enumeration stands alone in its line, as macros do."""

from surveyor.parsing.parse import parse_file

HEADER = """\
MYLIB_BEGIN
typedef enum kind {
\tKIND_ONE = 0, /**< one */
\tKIND_TWO      /**< two */
} kind_t;
MYLIB_EXTERN const char *broken(int a) MYLIB_CHECKED;
int after(void);
"""


def test_the_last_member_is_no_macro_where_a_file_cannot_be_read_otherwise() -> None:
    symbols = parse_file("kind.h", HEADER.encode()).symbols
    assert [each.name for each in symbols if each.kind == "enum_member"] == ["KIND_ONE", "KIND_TWO"]
    assert "after" in {each.name for each in symbols}
