create or replace function pgtq._why_late(i_due timestamptz, i_started timestamptz, i_created timestamptz)
returns text
as $$
-- What is known of why a timer was late, as a sentence: it was scheduled for a time that had passed, or the
-- server was not there.  Of the rest nothing is kept.
begin
    if i_created > i_due then
        return format(' It was scheduled at %s, after that time.', i_created);
    elsif pg_postmaster_start_time() between i_due and i_started then
        return format(' The server was started at %s, after that time.', pg_postmaster_start_time());
    end if;
    return ' It was late because its transaction committed late, nobody ticked, or the sessions of its role were busy; see health().';
end;
$$ language plpgsql set search_path = pg_catalog, pg_temp;

comment on function pgtq._why_late(timestamptz, timestamptz, timestamptz) is 'Internal: why a timer was late, as far as is known';
