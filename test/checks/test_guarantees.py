"""docs/guarantees.md names tests that exist."""

import re

from server import ROOT


def test_the_tests_exist():
    tests = ROOT / "test"
    names = re.findall(r"`((?:sql|isolation)/[\w/.]+\.\w+|\w+\.py::\w+)`", (ROOT / "docs/guarantees.md").read_text())
    assert len(names) > 60
    functions = {f"{file.name}::{name}" for file in tests.glob("*/test_*.py")
                 for name in re.findall(r"^def (test_\w+)", file.read_text(), re.M)}
    specs = {f"isolation/{file.name}" for file in tests.glob("isolation/specs/*.spec")}
    scripts = {str(file.relative_to(tests)) for file in tests.glob("sql/*/*.sql")}
    assert sorted(set(names) - functions - specs - scripts) == []
