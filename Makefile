# pgtq: builds the extension with PGXS, and runs everything else.
#
#   make, make install   the C extension, for the server of PG_CONFIG
#   make plonly          the same API as one SQL file, for servers that take no C, and the files
#                        that upgrade it, remove it, and make it of an extension
#   make demo            see it work, on a private server
#   make test            every test on both builds; TEST=substring picks some
#   make torture         random operations, crashes and a model of what must be; SECONDS, SEED, BUILD
#   make docs            docs/reference.md, from the comments in the SQL
#   make bench           measurements; FULL=1 for the long ones, BENCH=name for one
#   make fuzz            calls of every function, and the parsers in C for 10 minutes each
#   make static          cppcheck and clang-tidy
#   make valgrind        the SQL suite on a server under valgrind; TEST=substring
#
# demo, test and bench install what they need (mk/setup.sh), build a copy of
# the tree in a temporary directory and install it nowhere else, so that any
# number of them can run at once.

EXTENSION  = pgtq
EXTVERSION := $(shell sed -n "s/^default_version *= *'\(.*\)'.*/\1/p" pgtq.control 2>/dev/null)
PG_CONFIG  ?= pg_config
PYTHON     = /usr/bin/python3

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:

# -- The SQL of both builds, assembled from structure/ and functions/ ---------

MANIFEST  := $(shell sed 's/\#.*//' structure/manifest 2>/dev/null)
FUNCTIONS := $(filter functions/%,$(MANIFEST))
SQL_DEPS   = $(MANIFEST) structure/manifest structure/grants.ini \
             $(wildcard upgrade/*.sql) pgtq.control Makefile mk/build.awk mk/grants.awk

C_SQL      = pgtq--$(EXTVERSION).sql
PL_SQL     = pgtq_pl_only.sql pgtq_pl_only.upgrade.sql pgtq_pl_only.uninstall.sql pgtq_pl_only.from_extension.sql
FROM_PL    = pgtq--pl_only.sql pgtq--pl_only--$(EXTVERSION).sql
UPGRADES   = $(notdir $(wildcard upgrade/pgtq--*--*.sql))

for_c      = awk -v build=c -f mk/build.awk
for_pl     = awk -v build=pl -f mk/build.awk
grants_c   = awk -v build=c -f mk/grants.awk structure/grants.ini
grants_pl  = awk -v build=pl -f mk/grants.awk structure/grants.ini

# Whoever gives these to psql by mistake is told so; CREATE EXTENSION skips the line.
define c_head
printf '%s\n' '\echo Use "CREATE EXTENSION pgtq" to load this file. \quit'
endef
define update_head
printf '%s\n' '\echo Use "ALTER EXTENSION pgtq UPDATE" to load this file. \quit'
endef

$(C_SQL): $(SQL_DEPS)
	{ $(c_head) && $(for_c) $(MANIFEST) && $(grants_c); } > $@

# An upgrade is the change of the tables, then every function anew: a function
# is never patched, so it cannot differ from a fresh install. A step that does
# not end at this version leaves the functions to the last step.
pgtq--%.sql: upgrade/pgtq--%.sql $(SQL_DEPS)
	{ $(update_head) && $(for_c) $< \
	  $(if $(filter %--$(EXTVERSION).sql,$@),$(FUNCTIONS) && $(grants_c)); } > $@

pgtq_pl_only.sql: $(SQL_DEPS)
	{ cat upgrade/pl_only.head.sql && $(for_pl) -v once=1 $(MANIFEST) && $(grants_pl); } > $@

pgtq_pl_only.upgrade.sql: $(SQL_DEPS)
	{ cat upgrade/pl_only.head.sql && $(for_pl) $(FUNCTIONS) && $(grants_pl); } > $@

pgtq_pl_only.uninstall.sql: upgrade/pl_only.uninstall.sql
	cat $< > $@

# From one build to the other and back: the tables stay, with all that is in them; every function is
# made anew.
pgtq--pl_only.sql: upgrade/pl_only.attach.sql Makefile
	{ $(c_head) && cat $<; } > $@

pgtq--pl_only--$(EXTVERSION).sql: $(SQL_DEPS)
	{ $(update_head) && $(for_c) $(FUNCTIONS) structure/dump.sql && cat upgrade/pl_only.own.sql && $(grants_c); } > $@

pgtq_pl_only.from_extension.sql: $(SQL_DEPS)
	{ cat upgrade/pl_only.detach.sql && $(for_pl) $(FUNCTIONS) && cat upgrade/pl_only.own.sql && $(grants_pl); } > $@

.PHONY: plonly
plonly: $(PL_SQL)

# -- The C build --------------------------------------------------------------

MODULE_big  = pgtq
OBJS        = $(patsubst %.c,%.o,$(sort $(wildcard src/*.c src/*/*.c)))
DATA_built  = $(C_SQL) $(FROM_PL) $(UPGRADES)
EXTRA_CLEAN = $(PL_SQL) pgtq--*.sql
PG_CPPFLAGS = -I$(CURDIR)/src -I$(libpq_srcdir)
SHLIB_LINK  = $(libpq)
# Functions called through fmgr share one signature, used or not.
PG_CFLAGS   = -Wall -Wextra -Wno-unused-parameter

PGXS := $(shell $(PG_CONFIG) --pgxs 2>/dev/null)

ifneq ($(wildcard $(PGXS)),)

# Bitcode for the JIT needs the very clang that PostgreSQL was built with; the
# extension works without it.
CLANG_OF_PGXS := $(shell sed -n 's/^CLANG *= *//p' $(dir $(PGXS))../Makefile.global)
ifeq ($(shell command -v $(CLANG_OF_PGXS) 2>/dev/null),)
override with_llvm = no
endif

include $(PGXS)

# PGXS knows nothing about our headers.
$(OBJS): $(wildcard src/*.h src/*/*.h)

else

# No server here (yet): what needs none still works.
.PHONY: all install clean
all install:
	@echo "$(PG_CONFIG) or its PGXS makefile was not found:" \
	      "install PostgreSQL's server headers, or set PG_CONFIG" >&2; exit 1
clean:
	rm -f $(EXTRA_CLEAN)

endif

# -- Tests, demo, benchmarks --------------------------------------------------

SUITES   = sql isolation integration checks
RUN_TEST = $(PYTHON) test/run.py $(if $(TEST),--test '$(TEST)') $(if $(BUILD),--build $(BUILD))
export PG_CONFIG

.PHONY: docs
docs:
	@$(PYTHON) mk/reference.py

.PHONY: fuzz static valgrind
fuzz: setup
	test/fuzz/run $(or $(SECONDS),600)
	PGTQ_FUZZ=full $(PYTHON) test/run.py --test test_fuzz.py integration

static:
	@sh mk/setup.sh cppcheck clang-tidy
	test/static

valgrind:
	@sh mk/setup.sh valgrind
	test/valgrind $(TEST)

.PHONY: setup test demo bench torture $(SUITES:%=test-%)

setup:
	@sh mk/setup.sh

test: setup
	@$(RUN_TEST)

$(SUITES:%=test-%): test-%: setup
	@$(RUN_TEST) $*

demo: setup
	@$(PYTHON) mk/demo.py $(BUILD)

torture: setup
	@$(PYTHON) test/torture/run.py $(if $(SECONDS),--seconds $(SECONDS)) $(if $(SEED),--seed $(SEED)) \
	  $(if $(BUILD),--build $(BUILD))

bench:
	@sh mk/setup.sh python3-matplotlib
	@$(PYTHON) bench/run.py $(if $(FULL),--full) $(BENCH)
