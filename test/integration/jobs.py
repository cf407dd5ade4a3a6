"""What the tests of jobs have in common."""

from server import eventually

END = ("done", "failed", "cancelled", "expired")


def submit(db, action, user="postgres", **options):
    """Submits a job, and returns its id."""
    names = "".join(f", {name} => %s" for name in options)
    with db.connect(user=user) as conn:
        return conn.execute(f"select pgtq.submit_job(%s{names})", (action, *options.values())).fetchone()[0]


def ended(db, job, timeout=20):
    """State, SQLSTATE, error, output of a job that is done."""
    def row():
        return db.rows("select state, sqlstate, error, output from pgtq.jobs where id = %s and state = any (%s)",
                       job, list(END))
    return eventually(row, timeout)[0]


def state(db, job):
    """None: there is no such job."""
    return db.value("select (select state from pgtq.jobs where id = %s)", job)


def is_running(db, job):
    return eventually(lambda: state(db, job) == "running", 20)


# what is captured: options of submit_job(), the SQL, and the output, which is the same in both builds
CAPTURED = [
    ({}, "select 1 as a; select 2 as b", "1\n2"),
    ({}, "select 1 as a, 'x' as b", "a\tb\n1\tx"),
    ({"header": False}, "select 1 as a, 'x' as b", "1\tx"),
    ({"delimiter": ";", "null_string": "-"}, "select null as a, 2 as b, '' as c", "a;b;c\n-;2;"),
    ({"quote": '"', "escape": "\\"}, "select 'a\"b\\c' as a", '"a\\"b\\\\c"'),
    ({"quote": '"', "escape": '"', "delimiter": ","}, "select 1.5 as n, true as t, 'a\"b' as s", '"n","t","s"\n1.5,t,"a""b"'),
    ({"quote": "'", "quote_strings_only": False, "header": False}, "select 1, true, 'x'", "'1'\t't'\t'x'"),
    ({}, "select 1 where false", None),
    ({}, "create temp table t_out (a int); insert into t_out values (7) returning a", "7"),
    ({}, "select 'a,b' as x, '(\"' as y", 'x\ty\na,b\t("'),
    ({}, "show search_path", '"$user", public'),
    ({}, "values (1), (2)", "1\n2"),
    ({}, "with t as (select 3 as a) select a from t", "3"),
    ({}, "select '2026-01-02 03:04:05+00'::timestamptz at time zone 'UTC' as t", "2026-01-02 03:04:05"),
    ({"capture": "json"}, "select 1 as a, 'x' as b union all select 2, null", '[[{"a":1,"b":"x"},{"a":2,"b":null}]]'),
    ({"capture": "json"}, "select 1 as a; select 2 as b where false; select 3 as c", '[[{"a":1}],[],[{"c":3}]]'),
    ({"capture": "json"}, "set work_mem = '1MB'", None),
    ({"output_limit": 12}, "select 'abcd' from generate_series(1, 9)", "abcd\nabcd"),
    ({"output_limit": 22, "capture": "json"}, "select 1 as a from generate_series(1, 9)", '[[{"a":1},{"a":1}]]'),
    ({}, "select 1; select 1/0", "1"),
    ({"capture": None}, "select 1", None),
]
