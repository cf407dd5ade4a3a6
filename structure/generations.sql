-- structure/generations.sql: the tables of the delay store, made by the function that also
-- makes more of them.

do $$
begin
    perform pgtq._create_generation() from pg_catalog.generate_series(0, 2);
    update pgtq.generation set gen_state = 'open' where gen_n = 0;
end
$$;

-- what pg_dump is to save of an extension's own tables
--@c
select pg_catalog.pg_extension_config_dump('pgtq.delay_0', '');
select pg_catalog.pg_extension_config_dump('pgtq.delay_1', '');
select pg_catalog.pg_extension_config_dump('pgtq.delay_2', '');
--@end
