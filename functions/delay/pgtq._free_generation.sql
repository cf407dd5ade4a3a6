create or replace function pgtq._free_generation(i_level integer)
returns integer
as $$
-- A generation of a level that rows can be put into: one that is open, or a free one that
-- is then.  Null if there is none yet; one has been added, and is there in the next
-- transaction.
declare
    _n  integer;
begin
    select gen_n into _n from pgtq.generation
     where gen_level = i_level and i_level > 0 and gen_state = 'open' order by gen_n limit 1;
    if not found then
        select gen_n into _n from pgtq.generation
         where gen_state = 'free' and gen_n <> pg_sequence_last_value('pgtq.delay_cur_seq')
           and pgtq._table_state(format('pgtq.delay_%s', gen_n)::regclass) = 'free'
         order by gen_n limit 1;
        if not found then
            begin
                perform pgtq._create_generation();
            exception
                when lock_not_available then
                    null;               -- the mover is at work
            end;
            return null;
        end if;
        update pgtq.generation set gen_state = 'open', gen_level = i_level where gen_n = _n;
    end if;
    return _n;
end;
$$ language plpgsql set search_path = pg_catalog, pg_temp;

comment on function pgtq._free_generation(integer) is 'Internal: a generation of the delay store to put rows into';
