create or replace function pgtq._leave_generation()
returns boolean
as $$
-- Makes another generation the current one, which timers are scheduled into.  False if
-- there is none yet.  As in every ring this takes effect at once, even if we roll back: so
-- the new one must be free for everybody already.
declare
    _n  integer := pgtq._free_generation(0);
begin
    if _n is null then
        return false;
    end if;
    perform setval('pgtq.delay_cur_seq', _n);
    return true;
end;
$$ language plpgsql set search_path = pg_catalog, pg_temp;

comment on function pgtq._leave_generation() is 'Internal: schedule timers into another generation';
