"""Fixtures of the checks: each build in a cluster of its own.

Roles belong to the whole cluster. Side by side in one, the second build would
find the roles of the first, and a build that forgets one would not be noticed.
"""

import pytest


@pytest.fixture(scope="session")
def alone(workspace):
    """alone(build): a database with that build, the only one of its server."""
    made = {}

    def get(build):
        if build not in made:
            made[build] = workspace.server().create_db(build, build, template=False)
        return made[build]

    yield get
    for db in made.values():
        db.server.stop("immediate")
