"""What holds for every suite."""

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from tests.product import Product, product, write_tree

# Machines that run the suites are shared: how long an example takes says nothing. The examples are
# the same in every run, so that a failure is this change's; `HYPOTHESIS_PROFILE=explore` draws new
# ones (CONTRIBUTING.md).
settings.register_profile("suite", deadline=None, derandomize=True)
settings.register_profile("explore", deadline=None, max_examples=500)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "suite"))


@pytest.fixture(scope="session", autouse=True)
def temporary_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What language servers leave in the temporary folder goes with the run."""
    tmp_path_factory.getbasetemp()  # pytest's own stays where it is
    # Sockets with long data paths go here: its own path must be short.
    folder = tempfile.mkdtemp(prefix="svt-")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TMPDIR", folder)
        patch.setattr(tempfile, "tempdir", folder)
        if sys.dont_write_bytecode and sys.pycache_prefix is None:
            # The processes that tests start compile everything once, not each for itself.
            patch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
            patch.setenv("PYTHONPYCACHEPREFIX", str(Path(folder, "bytecode")))
        yield
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def surveyor(tmp_path: Path) -> Iterator[Product]:
    """One user's Surveyor; nothing of it lives on."""
    with product(tmp_path / "home") as made:
        made.home.mkdir()
        yield made


@pytest.fixture(scope="module")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Product, Path]]:
    """One product for all tests of a module that only read."""
    home = tmp_path_factory.mktemp("home")
    shop = write_tree(tmp_path_factory.mktemp("work") / "shop")
    with product(home) as made:
        made.index(shop)
        yield made, shop
