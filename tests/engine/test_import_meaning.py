"""Which imports may have meant a file that is gone."""

from __future__ import annotations

import pytest

from surveyor.engine.import_meaning import may_name


@pytest.mark.parametrize(
    ("module", "path", "user", "expected"),
    [
        ("crate::error", "src/error.rs", "src/main.rs", True),
        ("std::error", "src/error.rs", "src/main.rs", False),
        ("tower_http::add_extension", "src/add_extension.rs", "examples/a/main.rs", False),
        ("../lib/error.js", "lib/error.js", "test/a.js", True),
        ("./error", "src/web/error.ts", "src/web/main.ts", True),
        ("lodash/error", "src/error.js", "src/a.js", False),
        ("shop.pay", "src/shop/pay.py", "tests/test_pay.py", True),
        ("pay", "pay.py", "tests/test_pay.py", True),
        ("queue", "src/shop/jobs/queue.py", "src/shop/main.py", False),
        ("com.shop.Cart", "src/main/java/com/shop/Cart.java", "src/A.java", True),
        ("java.util.Cart", "src/main/java/com/shop/Cart.java", "src/A.java", False),
    ],
)
def test_an_import_names_a_lost_file_by_more_than_its_last_word(
    module: str, path: str, user: str, expected: bool
) -> None:
    assert may_name(module, path, user) is expected
