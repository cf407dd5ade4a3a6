"""The build: without a warning, and strict about its input."""

import subprocess

import pytest


def test_no_compiler_warning(workspace):
    workspace.variant(None, "COPT=-Werror")


@pytest.mark.parametrize("lines, c, pl", [
    ("a\n--@c\nb\n--@pl\nd\n--@end\ne", "abe", "ade"),
    ("a\n--@c\nb\n--@end\ne", "abe", "ae"),
    ("--@pl\nd\n--@end\ne\n--@c\nf\n--@end", "ef", "de"),
])
def test_build_filter(workspace, tmp_path, lines, c, pl):
    for build, expected in (("c", c), ("pl", pl)):
        done = build_filter(workspace, tmp_path, lines, build)
        kept = [x for x in done.stdout.split("\n") if x and not x.startswith("-- ")]
        assert (done.returncode, "".join(kept)) == (0, expected)


@pytest.mark.parametrize("lines", [
    "--@c\na", "--@pl\na", "a\n--@end", "--@c\n--@c\n--@end", "--@pl\n--@c\n--@end",
    "--@pl\n--@pl\n--@end", "--@oops\n"])
def test_build_filter_refuses(workspace, tmp_path, lines):
    for build in ("c", "pl"):
        assert build_filter(workspace, tmp_path, lines, build).returncode != 0


def build_filter(workspace, tmp_path, lines, build):
    file = tmp_path / "x.sql"
    file.write_text(lines + "\n")
    return subprocess.run(["awk", "-v", f"build={build}", "-f",
                           workspace.main.src / "mk/build.awk", file],
                          capture_output=True, text=True)
