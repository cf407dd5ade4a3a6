create or replace function pgtq._query_shown(i_query text)
returns text
as $$
-- The beginning of another session's query, for those who may see it: pgtq_admin, and whoever may in
-- pg_stat_activity.  health() runs with its owner's rights, and a reader of queues is not to read queries.
begin
    if pg_has_role(session_user, 'pgtq_admin', 'usage') or pg_has_role(session_user, 'pg_read_all_stats', 'usage') then
        return left(i_query, 100);
    end if;
    return '(its query is for pgtq_admin to see)';
end;
$$ language plpgsql;

comment on function pgtq._query_shown(text) is 'Internal: a query, for those who may see it';
