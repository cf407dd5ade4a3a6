"""pgtq's PL build as on a hosted server: one session runs ticker_loop(), which ticks and runs its role's timers."""

from systems.pgtq_pl import PgtqPl
from systems.worker_session import WorkerSession


class PgtqLoop(WorkerSession, PgtqPl):
    call = "call pgtq.ticker_loop('1 hour', '10 ms')"


SYSTEM = PgtqLoop("pgtq_loop")
