create or replace function pgtq._live_share(i_table regclass)
returns double precision
as $$
-- Which share of a table's pages is filled by live rows, about: some 200 pages of it are
-- looked at.
declare
    _pages  constant bigint := pg_relation_size(i_table) / current_setting('block_size')::bigint;
    _share  double precision;
begin
    if _pages = 0 then
        return 0;
    end if;
    execute format('select coalesce(sum(pg_column_size(t.*) + 4), 0) / %s::double precision from %s t tablesample system (%s)',
                   least(_pages, 200) * current_setting('block_size')::bigint, i_table, least(100, 20000.0 / _pages))
        into _share;
    return _share;
end;
$$ language plpgsql set search_path = pg_catalog, pg_temp;

comment on function pgtq._live_share(regclass) is 'Internal: how much of a table is filled by live rows';
