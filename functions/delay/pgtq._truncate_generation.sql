create or replace function pgtq._truncate_generation(i_gen pgtq.generation)
returns void
as $$
-- Truncates a generation that was emptied, if nobody can miss it, and if nobody has it locked.
declare
    _table      constant text := format('pgtq.delay_%s', i_gen.gen_n);
    _patience   constant interval := coalesce(nullif(current_setting('pgtq.truncate_patience', true), ''), '10 min')::interval;
    _alive      boolean;
begin
    if not coalesce(i_gen.gen_emptied < pgtq._oldest_snapshot(), false)
        and clock_timestamp() < i_gen.gen_emptied_at + _patience
    then
        return;
    end if;
    begin
        execute format('lock table %s in access exclusive mode', _table);
    exception
        when lock_not_available then
            return;
    end;
    execute format('select exists (select from %s)', _table) into _alive;
    if _alive then
        raise exception 'generation % of the delay store is not empty', i_gen.gen_n using errcode = 'data_corrupted';
    end if;
    perform setval('pgtq.delay_truncated_seq', pg_sequence_last_value('pgtq.delay_truncated_seq') + 1);
    execute format('truncate %s', _table);
    update pgtq.generation
       set gen_state = 'free', gen_level = 0, gen_emptied = null, gen_emptied_at = null,
           gen_truncated = pg_sequence_last_value('pgtq.delay_truncated_seq')
     where gen_n = i_gen.gen_n;
end;
$$ language plpgsql set search_path = pg_catalog, pg_temp;

comment on function pgtq._truncate_generation(pgtq.generation) is 'Internal: truncate a generation of the delay store';
