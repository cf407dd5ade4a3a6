create or replace function pgtq._event_seq(i_seq_name text)
returns bigint
as $$
-- The last event id given out, 0 if none was yet.  (A new sequence has last_value 1 both
-- before and after the first nextval; taken at its word, the first event is no news.)
begin
    return coalesce(pg_sequence_last_value(pgtq.quote_fqname(i_seq_name)::regclass), 0);
end;
$$ language plpgsql;

comment on function pgtq._event_seq(text) is 'Internal: the last event id given out';
