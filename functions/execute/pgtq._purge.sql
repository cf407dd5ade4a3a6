create or replace function pgtq._purge(i_role oid, i_before timestamptz)
returns integer
as $$
-- Closes dead letters for a role, see purge().  The history is only appended to: so is this.
declare
    _count  integer;
begin
    execute format('insert into %s (hi_timer, hi_status, hi_attempt, hi_queue, hi_role, hi_pid, hi_finished)'
                   ' select hi_timer, 6, hi_attempt, hi_queue, hi_role, pg_backend_pid(), $3 from pgtq.history h'
                   ' where hi_status = 2 and hi_group is null and hi_finished < $1 and (hi_role = $2 or pg_has_role($2, ''pgtq_admin'', ''usage''))'
                   ' and not exists (select from pgtq.history c where c.hi_timer = h.hi_timer and c.hi_status = 6)',
                   pgtq._current_table('pgtq.history'))
        using i_before, i_role, pgtq._now();
    get diagnostics _count = row_count;
    return _count;
end;
$$ language plpgsql set search_path = pg_catalog, pg_temp;

comment on function pgtq._purge(oid, timestamptz) is 'Internal: close dead letters';
