create or replace function pgtq._set_current_timer(i_timer bigint)
returns void
-- Says what current_timer() returns in this session; null is none.  The PL build has a prefix of its
-- own, because where another database has the extension, pgtq's is reserved.
--@c
as 'MODULE_PATHNAME', 'pgtq_set_current_timer' language c;
--@pl
as $$
begin
    perform pg_catalog.set_config('pgtq_pl.current_timer', coalesce(i_timer::text, ''), false);
end;
$$ language plpgsql;
--@end

comment on function pgtq._set_current_timer(bigint) is 'Internal: say what current_timer() returns';
