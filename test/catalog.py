"""What the catalogs say about schema pgtq, as text that can be compared.

fingerprint(db) gives {"kind name": "what there is to know"}. It leaves out
what two builds may do differently to the same effect: the language and body
of a function, its settings, and whether it is SECURITY DEFINER. Nor does it
tell of pg_attver, a stamp that newer minor releases of PostgreSQL keep among
the options of every column, different after each CREATE.
"""

# An acl as sorted text; the owner, who differs between installs, is "owner".
# NULL stands for the default rights, which acldefault() spells out.
ACL = """
    (select string_agg(x, ' ' order by x collate "C")
       from (select format('%%s=%%s%%s',
                           case when a.grantee = 0 then 'public'
                                when a.grantee = {owner} then 'owner'
                                else a.grantee::regrole::text end,
                           lower(a.privilege_type),
                           case when a.is_grantable then '*' else '' end) as x
               from aclexplode(coalesce({acl}, acldefault('{kind}', {owner}))) as a) as s)
""".replace("%%", "%")


def _acl(acl, kind, owner):
    return ACL.format(acl=acl, kind=kind, owner=owner)


QUERIES = {
    "schema": f"""
        select nspname, concat_ws(E'\\n', {_acl('nspacl', 'n', 'nspowner')})
          from pg_namespace where nspname = 'pgtq'
    """,
    "function": f"""
        select format('%s(%s)', proname, pg_get_function_identity_arguments(p.oid)),
               concat_ws(E'\\n',
                   'arguments ' || pg_get_function_arguments(p.oid),
                   'returns ' || pg_get_function_result(p.oid),
                   'kind ' || prokind::text || ' ' || provolatile::text,
                   'strict ' || proisstrict::text,
                   'rights ' || {_acl('proacl', 'f', 'proowner')},
                   'comment ' || obj_description(p.oid, 'pg_proc'))
          from pg_proc as p where pronamespace = 'pgtq'::regnamespace
    """,
    "relation": f"""
        select relname,
               concat_ws(E'\\n',
                   'kind ' || relkind::text || ' ' || relpersistence::text,
                   'options ' || reloptions::text,
                   'inherits ' || (select string_agg(inhparent::regclass::text, ' ' order by inhseqno)
                                     from pg_inherits where inhrelid = c.oid),
                   'rights ' || {_acl('relacl', 'r', 'relowner')},
                   'view ' || case when relkind = 'v' then pg_get_viewdef(c.oid) end,
                   'comment ' || obj_description(c.oid, 'pg_class'))
          from pg_class as c
         where relnamespace = 'pgtq'::regnamespace and relkind in ('r', 'p', 'v', 'm', 'c')
    """,
    "column": """
        select format('%s.%s', relname, attname),
               concat_ws(E'\\n',
                   'place ' || rank() over (partition by c.oid order by attnum),
                   'type ' || format_type(atttypid, atttypmod),
                   'not null ' || attnotnull::text,
                   'default ' || pg_get_expr(adbin, adrelid),
                   'identity ' || nullif(attidentity::text, ''),
                   'storage ' || attstorage::text,
                   'options ' || (select string_agg(o, ' ' order by o)
                                    from unnest(attoptions) as o where o not like 'pg_attver=%'),
                   'rights ' || attacl::text,
                   'comment ' || col_description(c.oid, attnum))
          from pg_class as c
          join pg_attribute as a on a.attrelid = c.oid and attnum > 0 and not attisdropped
          left join pg_attrdef as d on d.adrelid = c.oid and d.adnum = attnum
         where relnamespace = 'pgtq'::regnamespace and relkind in ('r', 'p', 'v', 'm', 'c')
    """,
    "index": """
        select format('%s.%s', i.indrelid::regclass, relname),
               concat_ws(E'\\n', pg_get_indexdef(c.oid), 'options ' || reloptions::text)
          from pg_index as i join pg_class as c on c.oid = i.indexrelid
         where relnamespace = 'pgtq'::regnamespace
    """,
    "constraint": """
        select format('%s.%s', coalesce(nullif(conrelid, 0)::regclass::text, contypid::regtype::text),
                      conname),
               concat_ws(E'\\n', pg_get_constraintdef(oid),
                         'comment ' || obj_description(oid, 'pg_constraint'))
          from pg_constraint where connamespace = 'pgtq'::regnamespace
    """,
    "sequence": f"""
        select relname,
               concat_ws(E'\\n',
                   format('%s start %s by %s from %s to %s cache %s cycle %s', seqtypid::regtype,
                          seqstart, seqincrement, seqmin, seqmax, seqcache, seqcycle),
                   'owned by ' || (select format('%s.%s', refobjid::regclass, refobjsubid)
                                     from pg_depend
                                    where classid = 'pg_class'::regclass and objid = c.oid
                                      and refclassid = 'pg_class'::regclass
                                      and deptype in ('a', 'i')),
                   'rights ' || {_acl('relacl', 's', 'relowner')},
                   'comment ' || obj_description(c.oid, 'pg_class'))
          from pg_sequence as s join pg_class as c on c.oid = s.seqrelid
         where relnamespace = 'pgtq'::regnamespace
    """,
    "type": f"""
        select typname,
               concat_ws(E'\\n',
                   'kind ' || typtype::text,
                   'labels ' || (select string_agg(enumlabel, ' ' order by enumsortorder)
                                   from pg_enum where enumtypid = t.oid),
                   'base ' || case when typtype = 'd' then format_type(typbasetype, typtypmod) end,
                   'rights ' || {_acl('typacl', 'T', 'typowner')},
                   'comment ' || obj_description(t.oid, 'pg_type'))
          from pg_type as t
         where typnamespace = 'pgtq'::regnamespace and typtype in ('d', 'e', 'r')
    """,
    "trigger": """
        select format('%s.%s', tgrelid::regclass, tgname),
               concat_ws(E'\\n', pg_get_triggerdef(t.oid), 'enabled ' || tgenabled::text)
          from pg_trigger as t join pg_class as c on c.oid = tgrelid
         where relnamespace = 'pgtq'::regnamespace and not tgisinternal
    """,
    "event trigger": """
        select evtname, concat_ws(E'\\n', evtevent, evtfoid::regproc::text, evtenabled::text)
          from pg_event_trigger where evtname like 'pgtq%'
    """,
    "role": """
        select rolname,
               concat_ws(E'\\n',
                   format('super %s inherit %s createrole %s createdb %s login %s replication %s',
                          rolsuper, rolinherit, rolcreaterole, rolcreatedb, rolcanlogin,
                          rolreplication),
                   'in ' || (select string_agg(roleid::regrole::text
                                               || case when admin_option then '*' else '' end,
                                               ' ' order by roleid::regrole::text)
                               from pg_auth_members where member = r.oid))
          from pg_roles as r where rolname like 'pgtq%'
    """,
}

# Asked of an extension only: a PL install has no such thing.
CONFIG_TABLES = """
    select c.oid::regclass::text, condition
      from pg_extension as e, unnest(extconfig, extcondition) as x(relid, condition)
      join pg_class as c on c.oid = x.relid
     where extname = 'pgtq'
"""


def fingerprint(db, queries=QUERIES):
    found = {}
    with db.connect() as conn:
        conn.execute("set search_path = pg_catalog")
        for kind, query in queries.items():
            for name, facts in conn.execute(query):
                found[f"{kind} {name}"] = facts or ""
    return found


def extension_fingerprint(db):
    return fingerprint(db, {**QUERIES, "dumped": CONFIG_TABLES})


def differences(one, other, one_name, other_name):
    """One line per fact that stands on one side only."""
    lines = []
    for name in sorted(one.keys() | other.keys()):
        if name not in other:
            lines.append(f"{name}: only in {one_name}")
        elif name not in one:
            lines.append(f"{name}: only in {other_name}")
        elif one[name] != other[name]:
            ours, theirs = one[name].split("\n"), other[name].split("\n")
            lines += [f"{name}: {one_name}: {x}" for x in ours if x not in theirs]
            lines += [f"{name}: {other_name}: {x}" for x in theirs if x not in ours]
    return lines
