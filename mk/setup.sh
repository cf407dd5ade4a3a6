#!/bin/sh
# mk/setup.sh [PACKAGE...]: what the tests, the demo and the benchmarks need, and the packages named.
#
# On Debian with its own PostgreSQL, missing packages are installed (as root,
# or through sudo without a password). For another server, chosen with
# PG_CONFIG, it only looks and says what is missing: where that server came
# from, its extensions come from too.
set -eu

major=15
pg_config=${PG_CONFIG:-pg_config}

# For the benchmarks stand cron, pgq3 and pgqd: the peers to compare with. What is wanted and cannot be had costs
# the tests of an example. (One more is run if postgres_exporter is there; its package would start a server.)
tools="make gcc python3 python3-psycopg python3-pytest python3-pytest-timeout
       python3-croniter clang libclang-rt-14-dev"
server="postgresql-$major postgresql-server-dev-$major libpq-dev postgresql-$major-pgtap
        libtap-parser-sourcehandler-pgtap-perl postgresql-$major-plpgsql-check
        postgresql-$major-cron postgresql-$major-pgq3 pgqd"
wanted="libdbd-pg-perl"

# Prints which of the given packages are not installed.
missing_packages() {
    for package in "$@"; do
        status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) || status=
        [ "$status" = installed ] || printf ' %s' "$package"
    done
}

# The server package makes a cluster and starts it. Nobody asked for one here,
# so it is told not to, for as long as the installation takes. A machine that
# had PostgreSQL before is left as it is.
install_packages() {
    conf=/etc/postgresql-common/createcluster.conf
    export DEBIAN_FRONTEND=noninteractive
    apt_get="apt-get -y -qq -o DPkg::Lock::Timeout=600"

    $as_root $apt_get update
    if [ -n "$(missing_packages postgresql-common)" ] && [ ! -e "$conf" ]; then
        $as_root env DEBIAN_FRONTEND=noninteractive \
            $apt_get install --no-install-recommends postgresql-common
        $as_root cp "$conf" "$conf.before-pgtq"
        restore="$as_root mv $conf.before-pgtq $conf"
        trap '$restore' EXIT
        echo "create_main_cluster = false" | $as_root tee -a "$conf" >/dev/null
    fi
    $as_root env DEBIAN_FRONTEND=noninteractive \
        $apt_get install --no-install-recommends "$@"
}

need_packages() {
    missing=$(missing_packages "$@")
    [ -n "$missing" ] || return 0

    if [ "$(id -u)" = 0 ]; then
        as_root=
    elif sudo -n true 2>/dev/null; then
        as_root=sudo
    else
        echo "setup: please install these packages (this user may not):$missing" >&2
        exit 1
    fi
    echo "setup: installing$missing"
    # stdout is kept for what went wrong: apt says much and means little
    log=$(mktemp)
    if ! install_packages $missing >"$log" 2>&1; then
        cat "$log" >&2
        echo "setup: could not install:$missing" >&2
        exit 1
    fi
    rm -f "$log"
}

# Another server: prints what it or the machine lacks.
missing_things() {
    [ -e "$("$pg_config" --pgxs)" ] || printf ' server-headers'
    [ -e "$("$pg_config" --includedir)/libpq-fe.h" ] || printf ' libpq-headers'
    for extension in pgtap plpgsql_check; do
        [ -e "$("$pg_config" --sharedir)/extension/$extension.control" ] || printf ' %s' "$extension"
    done
    for command in make cc; do
        command -v "$command" >/dev/null || printf ' %s' "$command"
    done
    for module in psycopg pytest pytest_timeout croniter; do
        /usr/bin/python3 -c "import $module" 2>/dev/null || printf ' python3-%s' "$module"
    done
}

bindir=$("$pg_config" --bindir 2>/dev/null) || bindir=
if [ -z "$bindir" ] && [ "$pg_config" != pg_config ]; then
    echo "setup: PG_CONFIG=$pg_config does not run" >&2
    exit 1
fi

if command -v dpkg-query >/dev/null &&
   { [ -z "$bindir" ] || [ "$bindir" = "/usr/lib/postgresql/$major/bin" ]; }; then
    need_packages $tools $server "$@"
    (need_packages $wanted) || echo "setup: going on without $wanted"
else
    missing=$(missing_things)
    if [ -n "$missing" ]; then
        echo "setup: missing for $bindir:$missing" >&2
        exit 1
    fi
fi
