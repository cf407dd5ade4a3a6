"""pgtq: the PL build, one SQL file."""

from systems.pgq_api import PgqApi
from systems.pgtq_schedule import PgtqSchedule


class PgtqPl(PgtqSchedule, PgqApi):
    schema = "pgtq"

    def install(self, server, dbname):
        server.install(dbname, build="pl")


SYSTEM = PgtqPl("pgtq_pl")
