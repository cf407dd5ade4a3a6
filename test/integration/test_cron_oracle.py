"""The next runs of cron expressions, against oracles that know nothing of our code.

What plain expressions mean on a clock is croniter's to say.  It has no W, $ and L-3, takes
*/2 in a day field for a restriction and 0-6 for none, where cron sees the star and nothing else, and
moves runs about when clocks are changed.  So what an expression with one of these means is found here day by day; and so, for all, is
at which moments a zone's clocks show a time.
"""

import calendar
import datetime as dt
import os
import random
from zoneinfo import ZoneInfo

import croniter

EXPRESSIONS = int(os.environ.get("PGTQ_CRON", 10000))
RUNS = 3
UTC = dt.timezone.utc
SECOND, DAY = dt.timedelta(seconds=1), dt.timedelta(days=1)
ZONES = ("UTC Europe/Berlin Europe/London America/New_York America/Havana America/St_Johns America/Asuncion"
         " Australia/Lord_Howe Asia/Kathmandu Asia/Tehran Asia/Gaza Africa/Casablanca Antarctica/Troll"
         " Pacific/Apia Pacific/Chatham America/Los_Angeles").split()
WEEKDAYS = "sun mon tue wed thu fri sat".split()
MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()


# Expressions, and what each of their fields means

def plain_field(rng, low, high, names=None):
    """The text of a field, and its numbers."""
    def word(n):
        return rng.choice((names[n - low], names[n - low].upper())) if names and rng.random() < 0.3 else str(n)

    texts, numbers = [], set()
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        first, last = sorted(rng.sample(range(low, high + 1), 2))
        step = rng.randrange(1, max((high - low) // 2, 2))
        kind = rng.randrange(5)
        if kind < 2:
            texts.append(word(first))
            numbers.add(first)
        elif kind == 2:
            texts.append(f"{word(first)}-{word(last)}")
            numbers.update(range(first, last + 1))
        elif kind == 3:
            texts.append(f"{first}-{last}/{step}")
            numbers.update(range(first, last + 1, step))
        elif high == 6:
            texts.append("7")
            numbers.add(0)
        else:
            texts.append(f"{first}/{step}")
            numbers.update(range(first, high + 1, step))
    return ",".join(texts), numbers


def field(rng, low, high, names=None, star=0.3):
    if rng.random() < star:
        return "*", set(range(low, high + 1))
    if rng.random() < 0.1:
        step = rng.randrange(2, 10)
        return f"*/{step}", set(range(low, high + 1, step))
    return plain_field(rng, low, high, names)


def working_day(year, month, day):
    """The working day of the month that is nearest to a day of it."""
    length = calendar.monthrange(year, month)[1]
    for distance in (0, 1, 2):
        for other in (day - distance, day + distance):
            if 1 <= other <= length and dt.date(year, month, other).weekday() < 5:
                return other


def special_month_day(rng):
    n = rng.randrange(1, 32)
    kind = rng.randrange(5)
    length = lambda d: calendar.monthrange(d.year, d.month)[1]      # noqa: E731
    if kind == 0:
        return rng.choice("L$"), lambda d: d.day == length(d)
    if kind == 1:
        back = rng.randrange(0, 28)
        return f"L-{back}", lambda d: d.day == length(d) - back
    if kind == 2:
        return "LW", lambda d: d.day == working_day(d.year, d.month, length(d))
    return f"{n}W", lambda d: n <= length(d) and d.day == working_day(d.year, d.month, n)


def special_weekday(rng):
    n = rng.randrange(7)
    word = rng.choice((WEEKDAYS[n].upper(), str(n), WEEKDAYS[n]))
    is_it = lambda d: d.isoweekday() % 7 == n                       # noqa: E731
    if rng.random() < 0.4:
        return f"{word}L", lambda d: is_it(d) and (d + 7 * DAY).month != d.month
    nth = rng.randrange(1, 6)
    return f"{word}#{nth}", lambda d: is_it(d) and (d.day + 6) // 7 == nth


class Expression:
    def __init__(self, rng):
        second, self.seconds = field(rng, 0, 59) if rng.random() < 0.2 else (None, {0})
        minute, self.minutes = field(rng, 0, 59)
        hour, self.hours = field(rng, 0, 23)
        month, self.months = field(rng, 1, 12, MONTHS, star=0.6)
        day, days = field(rng, 1, 31, star=0.5)
        weekday, weekdays = field(rng, 0, 6, WEEKDAYS, star=0.5)
        self.by_day = lambda d: d.day in days
        self.by_weekday = lambda d: d.isoweekday() % 7 in weekdays
        self.is_plain = rng.random() < 0.8 and not ("*/" in day and weekday != "*") and not ("*/" in weekday and day != "*")
        if (len(days) == 31 and day != "*") or (len(weekdays) == 7 and weekday != "*"):
            self.is_plain = False
        if not self.is_plain:
            if rng.random() < 0.5:
                day, self.by_day = special_month_day(rng)
            else:
                weekday, self.by_weekday = special_weekday(rng)
        self.is_either = day[0] != "*" and weekday[0] != "*"
        fields = [minute, hour, day, month, weekday]
        self.text = " ".join([second] + fields if second else fields)
        plain = [minute, hour, day, month, ",".join("0" if w == "7" else w for w in weekday.split(","))]      # it mixes up 7
        self.for_croniter = " ".join(plain + [second] if second else plain)
        self.every_hour = len(self.hours) == 24

    def is_day(self, date):
        if date.month not in self.months:
            return False
        if self.is_either:
            return self.by_day(date) or self.by_weekday(date)
        return self.by_day(date) and self.by_weekday(date)

    def locals(self, after):
        """The local times after one that it means."""
        if self.is_plain:
            it = croniter.croniter(self.for_croniter, after - SECOND)
            while True:
                yield it.get_next(dt.datetime)
        date = after.date()
        while True:
            if self.is_day(date):
                for h in sorted(self.hours):
                    for m in sorted(self.minutes):
                        for s in sorted(self.seconds):
                            local = dt.datetime(date.year, date.month, date.day, h, m, s)
                            if local >= after:
                                yield local
            date += DAY


# Zones

def offset(at, zone):
    return at.astimezone(zone).utcoffset()


def shifts(zone):
    """The moments between 1990 and 2037 at which the clocks were changed."""
    found, at = [], dt.datetime(1990, 1, 1, tzinfo=UTC)
    while at.year < 2037:
        later = at + dt.timedelta(hours=12)
        if offset(at, zone) != offset(later, zone):
            low, high = at, later
            while high - low > SECOND:
                middle = low + (high - low) // 2
                middle -= dt.timedelta(microseconds=middle.microsecond)
                low, high = (middle, high) if offset(middle, zone) == offset(low, zone) else (low, middle)
            found.append(high)
        at = later
    return found


def set_back(at, zone):
    """By how much the clocks are set back within two days of a moment."""
    return max(offset(at - 2 * DAY, zone) - offset(at + 2 * DAY, zone), dt.timedelta(0))


def moments(local, zone):
    """The moments at which the clocks show a time, or if there is none, the first after it."""
    shown = []
    for fold in (0, 1):
        at = local.replace(tzinfo=zone, fold=fold).astimezone(UTC)
        if at.astimezone(zone).replace(tzinfo=None) == local and at not in shown:
            shown.append(at)
    if shown:
        return sorted(shown), None
    low = local.replace(tzinfo=UTC) - 2 * DAY
    high = low + 4 * DAY
    while high - low > SECOND:
        middle = low + (high - low) // 2
        middle -= dt.timedelta(microseconds=middle.microsecond)
        if middle.astimezone(zone).replace(tzinfo=None) < local:
            low = middle
        else:
            high = middle
    return [], high


def expected(expression, zone, after):
    runs = []
    start = after.astimezone(zone).replace(tzinfo=None, microsecond=0) - set_back(after, zone)
    for local in expression.locals(start):
        if len(runs) >= RUNS:
            # where clocks are set back, a later time on them may be an earlier moment
            last = sorted(runs)[RUNS - 1]
            if local > last.astimezone(zone).replace(tzinfo=None) + set_back(last, zone):
                break
        shown, passed = moments(local, zone)
        if not expression.every_hour:
            shown = shown[:1] or [passed]
        runs += [m for m in shown if m > after and m not in runs]
    return sorted(runs)[:RUNS]


def test_against_oracles(server):
    db = server.create_db()
    try:
        rng = random.Random(20241)
        zones = {name: (ZoneInfo(name), shifts(ZoneInfo(name))) for name in ZONES}
        cases = []
        while len(cases) < EXPRESSIONS:
            name = rng.choice(ZONES)
            zone_shifts = [s for s in zones[name][1] if 1992 < s.year < 2026]
            if zone_shifts and rng.random() < 0.5:
                after = rng.choice(zone_shifts) + dt.timedelta(seconds=rng.randrange(-10000, 10000))
            else:
                after = dt.datetime(1995, 1, 1, tzinfo=UTC) + dt.timedelta(seconds=rng.randrange(30 * 365 * 86400))
            cases.append((Expression(rng), name, after))
        with db.connect() as conn:
            conn.execute("set timezone = 'UTC'")
            conn.execute("""
                create function pg_temp.runs(e text, z text, t timestamptz) returns timestamptz[] as $$
                begin
                    return array(select at from pgtq.preview(e, z, %d, t));
                exception
                    when invalid_parameter_value then
                        return null;        -- it never happens?
                end;
                $$ language plpgsql""" % RUNS)
            answers = conn.execute("select pg_temp.runs(e, z, t) from unnest(%s::text[], %s::text[], %s::timestamptz[])"
                                   " with ordinality u (e, z, t, n) order by n",
                                   ([c[0].text for c in cases], [c[1] for c in cases], [c[2] for c in cases])).fetchall()
        wrong = []
        for (expression, name, after), (answer,) in zip(cases, answers):
            if answer is None:
                wanted = None
                if any(expression.is_day(dt.date(2000, 1, 1) + n * DAY) for n in range(40 * 366)):
                    wanted = "some day"
            else:
                wanted = expected(expression, zones[name][0], after)
            if answer != wanted:
                wrong.append((expression.text, name, str(after), [str(a) for a in answer or []], [str(w) for w in wanted]))
        assert sum(answer is not None for (answer,) in answers) > EXPRESSIONS * 0.9
        assert wrong == [], f"{len(wrong)} of {len(cases)}; the first: {wrong[:3]}"
    finally:
        db.drop()
