-- structure/generations.sql: the tables of the delay store, made by the function that also
-- makes more of them.

do $$
begin
    perform pgtq._create_generation() from pg_catalog.generate_series(0, 2);
    update pgtq.generation set gen_state = 'open' where gen_n = 0;
end
$$;

-- and the timeline that they are on
do $$ begin perform pgtq._note_recovery(); end $$;
