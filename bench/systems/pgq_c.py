"""PgQ with its C functions, as a distribution's package installs it."""

import os

from systems.pgq_api import PgqApi


class PgqC(PgqApi):
    schema = "pgq"

    def missing(self, workspace):
        control = os.path.join(workspace.config("sharedir"), "extension", "pgq.control")
        return None if os.path.exists(control) else "PgQ's extension is not installed"

    def install(self, server, dbname):
        with server.connect(dbname) as conn:
            conn.execute("create extension pgq")


SYSTEM = PgqC("pgq_c")
