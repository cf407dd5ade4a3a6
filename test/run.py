"""Runs the test suites: test/run.py [options] [suite...]

    sql          pgTAP files, test/sql/**/*.sql
    isolation    sessions side by side, test/isolation/specs/*.spec
    integration  whole servers, pytest, test/integration
    checks       the builds themselves, pytest, test/checks

sql, isolation and integration run on both builds. The tree is copied, built
and installed in a temporary directory first; see server.py. The last line is
`N passed, N failed`; the exit code is 0 if nothing failed and something ran.
"""

import argparse
import os
import re
import subprocess
import sys
import time
import xml.etree.ElementTree as xml
from concurrent.futures import ThreadPoolExecutor
from difflib import unified_diff
from pathlib import Path

from server import BUILDS, ROOT, RUN_WITH, CommandFailed, Workspace, die_with_parent, eventually, exit_on_signals

SUITES = ("sql", "isolation", "integration", "checks")
WORKERS = 2
SQL_TIMEOUT = 3600 if RUN_WITH else 300
SPEC_TIMEOUT = 60
PYTEST_TIMEOUT = 300


class Totals:
    """Prints outcomes as they come and adds them up."""

    def __init__(self):
        self.passed = self.failed = 0

    def add(self, suite, name, passed, failed, details="", seconds=0.0):
        self.passed += passed
        self.failed += failed
        print(f"{'FAIL' if failed else 'ok  '}  {suite:<11} {name:<48} "
              f"{passed:>3} passed {failed:>2} failed {seconds:>6.1f} s", flush=True)
        if failed and details:
            print("      " + details.rstrip().replace("\n", "\n      "), flush=True)


def main():
    options = parse_arguments()
    exit_on_signals()
    totals = Totals()
    try:
        with Workspace() as ws:
            for suite in options.suites or SUITES:
                RUNNERS[suite](ws, options, totals)
    except CommandFailed as error:      # the build, or a server that will not start
        totals.add("set-up", "", 0, 1, str(error))
    except KeyboardInterrupt:
        totals.add("interrupted", "", 0, 1)
    print(f"{totals.passed} passed, {totals.failed} failed")
    return 0 if totals.passed and not totals.failed else 1


def parse_arguments():
    parser = argparse.ArgumentParser(description="Runs pgtq's tests.")
    parser.add_argument("suites", nargs="*", choices=[[], *SUITES], metavar="suite",
                        help=" ".join(SUITES))
    parser.add_argument("--test", default="", help="only those with this in their name")
    parser.add_argument("--build", choices=BUILDS, help="only this build")
    parser.add_argument("--update", action="store_true",
                        help="write isolation/expected from what the C build does")
    return parser.parse_args()


def builds(options):
    return [options.build] if options.build else BUILDS


def in_fresh_databases(ws, options, totals, suite, files, run, tap):
    """Runs run(db, file) for every file and build, some at a time."""
    def one(job):
        build, file = job
        started = time.monotonic()
        db = server.create_db(build=build, tap=tap)
        try:
            outcome = run(db, file)
        except subprocess.TimeoutExpired as error:
            outcome = 0, 1, f"not done after {error.timeout} s"
        try:
            db.drop()
        except Exception as error:      # crashed, or something prepared was left behind
            outcome = outcome[0], outcome[1] + 1, f"{outcome[2]}\n{error}"
            eventually(server.is_ready, 30)
        return build, file, outcome, time.monotonic() - started

    if not files:
        return
    jobs = [(build, file) for build in builds(options) for file in files]
    # --update: the PL build is compared with what the C build has just written
    workers = 1 if options.update else WORKERS
    with ws.server() as server, ThreadPoolExecutor(workers) as pool:
        pending = [pool.submit(one, job) for job in jobs]
        try:
            for future in pending:
                build, file, outcome, seconds = future.result()
                totals.add(suite, f"{build:<2} {file.relative_to(ws.main.src / 'test')}",
                           *outcome, seconds)
        except BaseException:           # interrupted: do not wait for the rest
            for future in pending:
                future.cancel()
            server.stop("immediate")
            raise


def selected(ws, options, folder, pattern):
    files = sorted((ws.main.src / "test" / folder).glob(pattern))
    return [f for f in files if options.test in str(f.relative_to(ws.main.src))]


# -- sql: pgTAP ---------------------------------------------------------------

def run_sql(ws, options, totals):
    files = selected(ws, options, "sql", "**/*.sql")
    in_fresh_databases(ws, options, totals, "sql", files, run_tap_file, tap=True)


def run_tap_file(db, file):
    done = db.psql(file=file, check=False, timeout=SQL_TIMEOUT, cwd=file.parent)
    return judge_tap(done.stdout, done.stderr, done.returncode)


def judge_tap(output, errors, code):
    """Counts what a TAP stream says: passed, failed, and what went wrong."""
    planned, numbers, passed, trouble = None, 0, 0, []
    details = []
    for line in output.splitlines():
        plan = re.match(r"1\.\.(\d+)", line)
        test = re.match(r"(not )?ok\b.*?(#\s*(todo|skip)\b.*)?$", line, re.I)
        if plan:
            planned = int(plan[1])
        elif test:
            numbers += 1
            if not test[1] or test[2]:
                passed += 1
            else:
                details.append(line)
        elif line.startswith("Bail out!"):
            trouble.append(line)
        elif line.startswith("#"):
            details.append(line)

    if code != 0:
        trouble.append(f"psql ended with {code}")
    if re.search("leak|not closed", errors):    # of C code that forgot to clean up
        trouble.append("the server complains about a leak")
    if planned is None:
        trouble.append("no plan: finish() was not reached")
    elif planned != numbers:
        trouble.append(f"planned {planned} tests, ran {numbers}")
    if numbers == 0:
        trouble.append("no tests")

    # a stream that broke off is one failure more than those it has told of
    failed = numbers - passed + (1 if trouble else 0)
    return passed, failed, "\n".join(details + trouble + [errors])


# -- isolation ----------------------------------------------------------------

def run_isolation(ws, options, totals):
    pgxs = Path(ws.config("pgxs"))
    tester = pgxs.parent.parent / "test/isolation/isolationtester"
    files = selected(ws, options, "isolation/specs", "*.spec")

    def run_spec(db, file):
        with open(file) as spec:
            done = ws.run(tester, db.conninfo(), stdin=spec, stderr=subprocess.STDOUT,
                          check=False, timeout=SPEC_TIMEOUT,
                          env={"PGAPPNAME": f"isolation/{file.stem}"})
        if done.returncode != 0:
            return 0, 1, done.stdout
        if options.update and db.build == "c":
            write_expected(file.stem, done.stdout)
        return compare(expected_outputs(ws, options, file.stem), done.stdout)

    if options.update:
        (ROOT / "test/isolation/expected").mkdir(exist_ok=True)
    in_fresh_databases(ws, options, totals, "isolation", files, run_spec, tap=False)


def write_expected(name, output):
    (ROOT / f"test/isolation/expected/{name}.out").write_text(output)


def expected_outputs(ws, options, name):
    """name.out, and name_1.out, name_2.out… where majors word things differently."""
    top = ROOT if options.update else ws.main.src
    folder = top / "test/isolation/expected"
    return [f.read_text() for f in sorted(folder.glob(f"{name}*.out"))
            if re.fullmatch(re.escape(name) + r"(_\d+)?\.out", f.name)]


def compare(expected, output):
    if not expected:
        return 0, 1, "no expected output (write it with --update)\n" + output
    if output in expected:
        return 1, 0, ""
    diff = unified_diff(expected[0].splitlines(), output.splitlines(),
                        "expected", "result", lineterm="")
    return 0, 1, "\n".join(diff)


# -- integration and checks: pytest -------------------------------------------

# What takes longest begins first, so that nothing is left for one worker alone at the end.
LONGEST = ("test_torture.py", "test_settings.py", "test_standby.py", "test_executor_trouble.py", "test_jobs_crash.py", "test_stress.py")


def run_pytest(suite):
    """Each file is a pytest of its own, with servers of its own, some at a time; with --test, one for all."""
    def run(ws, options, totals):
        folder = ws.main.src / "test" / suite
        files = sorted(folder.glob("test_*.py"), key=lambda file: (
            LONGEST.index(file.name) if file.name in LONGEST else len(LONGEST), file.name))
        waiting = [folder] if options.test and files else files
        running = {}
        try:
            while waiting or running:
                while waiting and len(running) < WORKERS:
                    path = waiting.pop(0)
                    running[path] = start_pytest(ws, options, suite, path)
                for path in [path for path, child in running.items() if child.poll() is not None]:
                    report_pytest(ws, suite, path, running.pop(path).returncode, totals)
                time.sleep(0.1)
        finally:                        # we are being ended: let them clean up first
            for child in running.values():
                child.terminate()
            for child in running.values():
                child.wait(60)
    return run


def start_pytest(ws, options, suite, path):
    folder = ws.main.src / "test" / suite
    with open(pytest_file(ws, suite, path, "log"), "w") as log:
        return subprocess.Popen(
            [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--tb=short",
             f"--rootdir={folder.parent}", f"--confcutdir={folder.parent}", f"--timeout={PYTEST_TIMEOUT}",
             f"--junit-xml={pytest_file(ws, suite, path, 'xml')}", "-o", "junit_family=xunit1", str(path)],
            cwd=folder, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT,
            env={**ws.env, "PGTQ_WORKSPACE": str(ws.path), "PGTQ_TEST": options.test,
                 "PGTQ_BUILDS": " ".join(builds(options))},
            preexec_fn=die_with_parent, **ws.as_user())


def pytest_file(ws, suite, path, kind):
    return ws.path / f"{suite}-{path.stem}.{kind}"


def report_pytest(ws, suite, path, code, totals):
    report = pytest_file(ws, suite, path, "xml")
    if report.exists():
        report_junit(report, suite, totals)
    # 0: fine, 1: tests failed, 5: none selected; else pytest itself broke off
    if code not in (0, 1, 5):
        totals.add(suite, path.name, 0, 1, pytest_file(ws, suite, path, "log").read_text(errors="replace"))


def report_junit(report, suite, totals):
    files = {}
    for case in xml.parse(report).iter("testcase"):
        files.setdefault(case.get("file") or case.get("classname"), []).append(case)
    for file, cases in files.items():
        passed = failed = 0
        seconds = sum(float(case.get("time")) for case in cases)
        details = []
        for case in cases:
            bad = case.findall("failure") + case.findall("error")
            skipped = case.find("skipped")
            if bad:
                failed += 1
                details += [f"-- {case.get('name')}\n{b.text or b.get('message')}" for b in bad]
            elif skipped is not None:
                print(f"skip  {suite:<11} {case.get('name')}: {skipped.get('message')}")
            else:
                passed += 1
            for note in case.iterfind("properties/property[@name='note']"):
                print(f"note  {suite:<11} {note.get('value')}")
        if passed or failed:
            totals.add(suite, f"{suite}/{Path(file).name}", passed, failed, "\n".join(details),
                       seconds)


RUNNERS = {"sql": run_sql, "isolation": run_isolation,
           "integration": run_pytest("integration"), "checks": run_pytest("checks")}

if __name__ == "__main__":
    sys.exit(main())
