"""The manifest and the files under functions/ agree."""

import re
from collections import Counter

CREATE = re.compile(r"^\s*create\s+(?:or\s+replace\s+)?(?:function|procedure)\s+(\S+?)\s*\(",
                    re.I | re.M)


def manifest(workspace):
    lines = (workspace.main.src / "structure/manifest").read_text().splitlines()
    return [line for line in (line.split("#")[0].strip() for line in lines) if line]


def function_files(workspace):
    src = workspace.main.src
    return {str(f.relative_to(src)): f for f in src.glob("functions/**/*") if f.is_file()}


def test_manifest_lists_each_file_once(workspace):
    twice = [path for path, n in Counter(manifest(workspace)).items() if n > 1]
    assert not twice


def test_manifest_lists_what_exists(workspace):
    lost = [path for path in manifest(workspace) if not (workspace.main.src / path).is_file()]
    assert not lost


def test_every_sql_file_is_installed(workspace):
    src = workspace.main.src
    structure = {str(f.relative_to(src)) for f in src.glob("structure/**/*.sql")}
    assert function_files(workspace).keys() | structure == set(manifest(workspace))


def test_one_function_per_file(workspace):
    """functions/<stage>/pgtq.<name>.sql makes pgtq.<name>, its overloads, nothing else."""
    wrong = []
    for path, file in function_files(workspace).items():
        place = re.fullmatch(r"functions/[a-z_]+/(pgtq\.\w+)\.sql", path)
        made = set(CREATE.findall(file.read_text()))
        if not place or made != {place[1]}:
            wrong.append((path, sorted(made)))
    assert not wrong
