"""PgQ without C: the PL-only SQL file that comes with its package."""

import os

from systems.pgq_api import PgqApi


class PgqPl(PgqApi):
    schema = "pgq"

    def _file(self, workspace):
        return os.path.join(workspace.config("sharedir"), "contrib", "pgq_pl_only.sql")

    def missing(self, workspace):
        return None if os.path.exists(self._file(workspace)) else "PgQ's pgq_pl_only.sql is not installed"

    def install(self, server, dbname):
        with open(self._file(server.workspace), encoding="utf-8") as f:
            script = f.read()
        with server.connect(dbname) as conn:
            conn.execute(script)

    def version(self, conn):
        # Its own version() knows only the extension's.
        query = "select default_version from pg_available_extensions where name = 'pgq'"
        return conn.execute(query).fetchone()[0]


SYSTEM = PgqPl("pgq_pl")
