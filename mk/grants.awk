# mk/grants.awk: turns structure/grants.ini into GRANT commands.
#
#   awk -v build=c|pl -f mk/grants.awk structure/grants.ini
#
#   [functions ROLE]           then one signature per line
#   [functions pl ROLE]        the same, of functions that only the PL build has
#   [tables PRIV,PRIV ROLE]    then one table or view per line
#   [columns PRIV TABLE ROLE]  then one column of that table per line
#   [sequences PRIV,PRIV ROLE] then one sequence per line
#
# First everything is taken from PUBLIC, so that what the file does not name
# nobody has.

BEGIN {
    if (build != "c" && build != "pl")
        fail("give -v build=c or -v build=pl")
    print "\n-- structure/grants.ini\n"
    print "revoke all on schema pgtq from public;"
    print "revoke all on all functions in schema pgtq from public;"
    print "revoke all on all procedures in schema pgtq from public;"
    print "revoke all on all tables in schema pgtq from public;"
    print "revoke all on all sequences in schema pgtq from public;"
    print "grant usage on schema pgtq to pgtq_reader, pgtq_writer, pgtq_admin;"
}

{
    sub(/#.*/, "")
    gsub(/^[ \t]+|[ \t]+$/, "")
}

$0 == "" { next }

/^\[.*\]$/ {
    n = split(substr($0, 2, length($0) - 2), word, /[ \t]+/)
    kind = word[1]
    role = word[n]
    privileges = ""
    for (i = 2; i < n; i++)
        privileges = privileges word[i]
    gsub(/,/, ", ", privileges)

    if (kind == "functions" && n == 2)
        format = "grant execute on routine pgtq.%s to " role ";\n"
    else if (kind == "functions" && n == 3 && word[2] == "pl")
        format = build == "pl" ? "grant execute on routine pgtq.%s to " role ";\n" : "skip"
    else if (kind == "tables" && n > 2)
        format = "grant " privileges " on pgtq.%s to " role ";\n"
    else if (kind == "columns" && n == 4)
        format = "grant " word[2] " (%s) on pgtq." word[3] " to " role ";\n"
    else if (kind == "sequences" && n > 2)
        format = "grant " privileges " on sequence pgtq.%s to " role ";\n"
    else
        fail("bad section " $0)
    next
}

{
    if (format == "")
        fail("a name before the first section")
    if (format != "skip")
        printf format, $0
}

END { exit failed }

function fail(message) {
    print "grants.awk: " FILENAME ":" FNR ": " message | "cat >&2"
    failed = 1
    exit 1
}
