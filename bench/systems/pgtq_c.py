"""pgtq: the C build, as `make install` leaves it."""

from systems.pgq_api import PgqApi


class PgtqC(PgqApi):
    schema = "pgtq"

    def install(self, server, dbname):
        server.install(dbname, build="c")


SYSTEM = PgtqC("pgtq_c")
