# mk/build.awk: leaves one build's lines of SQL files that serve both.
#
#   awk -v build=c|pl [-v once=1] -f mk/build.awk FILE...
#
# once: psql skips the files of structure/ unless the variable pgtq_is_new is true.
#
#   --@c     from here on for the C build only
#   --@pl    from here on for the PL build only
#   --@end   for both again
#
# Either block may stand alone. The marker lines vanish. A marker out of place
# is an error: half a function in one build is found here, not by a user.

BEGIN {
    if (build != "c" && build != "pl")
        fail("give -v build=c or -v build=pl")
}

FNR == 1 {
    check_closed()
    file = FILENAME
    block = ""
    print "\n-- " FILENAME "\n"
    guarded = once && FILENAME ~ /^structure\//
    if (guarded)
        print "\\if :pgtq_is_new"
}

/^--@c[ \t]*$/ {
    if (block != "")
        fail(FILENAME ":" FNR ": --@c inside --@" block)
    block = "c"
    next
}

/^--@pl[ \t]*$/ {
    if (block == "pl")
        fail(FILENAME ":" FNR ": --@pl inside --@pl")
    block = "pl"
    next
}

/^--@end[ \t]*$/ {
    if (block == "")
        fail(FILENAME ":" FNR ": --@end without --@c or --@pl")
    block = ""
    next
}

/^[ \t]*--@/ {
    fail(FILENAME ":" FNR ": unknown marker: " $0)
}

block == "" || block == build

END {
    if (!failed)
        check_closed()
    exit failed
}

function check_closed() {
    if (block != "")
        fail(file ": --@" block " without --@end")
    if (guarded)
        print "\\endif"
}

function fail(message) {
    print "build.awk: " message | "cat >&2"
    failed = 1
    exit 1
}
