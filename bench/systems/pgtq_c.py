"""pgtq: the C build, as `make install` leaves it."""

from systems.pgq_api import PgqApi
from systems.pgtq_schedule import PgtqSchedule


class PgtqC(PgtqSchedule, PgqApi):
    schema = "pgtq"

    def install(self, server, dbname):
        server.install(dbname, build="c")


SYSTEM = PgtqC("pgtq_c")
