create or replace function pgtq._adopt_generations()
returns void
as $$
-- Lists the tables of the delay store that a dump has brought.
begin
    for _n in 3 .. 1000 loop
        exit when to_regclass(format('pgtq.delay_%s', _n)) is null;
        insert into pgtq.generation (gen_n, gen_state, gen_level) values (_n, 'open', 1) on conflict do nothing;
    end loop;
    update pgtq.generation set gen_state = 'open'
     where gen_state = 'free' and pg_relation_size(format('pgtq.delay_%s', gen_n)::regclass) > 0;
end;
$$ language plpgsql set search_path = pg_catalog, pg_temp;

comment on function pgtq._adopt_generations() is 'Internal: list the tables of the delay store that a dump has brought';
