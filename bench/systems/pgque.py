"""PgQue, PgQ's engine in SQL, if its file is there: $PGQUE_SQL, or contrib/pgque.sql beside PgQ's files."""

import os

from systems.pgq_api import PgqApi


class Pgque(PgqApi):
    schema = "pgque"

    def _file(self, workspace):
        return os.environ.get("PGQUE_SQL") or os.path.join(workspace.config("sharedir"), "contrib", "pgque.sql")

    def missing(self, workspace):
        return None if os.path.exists(self._file(workspace)) else "PgQue's pgque.sql is not installed"

    def install(self, server, dbname):
        server.psql(dbname, file=self._file(server.workspace))


SYSTEM = Pgque("pgque")
