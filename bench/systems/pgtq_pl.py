"""pgtq: the PL build, one SQL file."""

from systems.pgq_api import PgqApi


class PgtqPl(PgqApi):
    schema = "pgtq"

    def install(self, server, dbname):
        server.install(dbname, build="pl")


SYSTEM = PgtqPl("pgtq_pl")
