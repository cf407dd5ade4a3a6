"""A worker that is a session of its own, which runs one procedure until it is stopped."""

import contextlib
import threading

import psycopg


class WorkerSession:
    call = None     # the procedure's call

    def begin(self, rep, conn):
        self.worker = rep.server.connect(rep.dbname)
        self.thread = threading.Thread(target=self._work, daemon=True)
        self.thread.start()

    def _work(self):
        with contextlib.suppress(psycopg.errors.QueryCanceled):
            self.worker.execute(self.call)

    def ready(self, conn):
        return True

    def end(self):
        self.worker.cancel()
        self.thread.join(10)
        self.worker.close()
