"""The C code that reads what users write: some seconds of fuzzing, and its harness still builds.  `make fuzz` for longer."""

import shutil

import pytest

TARGETS = ("trigger_options", "trigger_expression", "trigger_encode")


@pytest.mark.parametrize("target", TARGETS)
def test_parsers(workspace, target):
    if not shutil.which("clang"):
        pytest.skip("clang is not installed")
    workspace.run(workspace.main.src / "test/fuzz/run", 3, target)


def test_every_harness_is_run(workspace):
    assert {f.stem for f in (workspace.main.src / "test/fuzz").glob("*.c")} == set(TARGETS)
