"""pgtq: the PL build, one SQL file."""

from systems.pgq_api import PgqApi
from systems.pgtq_timers import PgtqTimers


class PgtqPl(PgtqTimers, PgqApi):
    schema = "pgtq"

    def install(self, server, dbname):
        server.install(dbname, build="pl")


SYSTEM = PgtqPl("pgtq_pl")
