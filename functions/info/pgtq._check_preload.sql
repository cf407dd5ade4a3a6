create or replace function pgtq._check_preload(out name text, out status text, out seen text, out hint text)
returns setof record
as $$
-- Is there a library that can start workers?
begin
    name := 'preload';
    if (select preloaded from pgtq._ticker_state()) then
        status := 'ok';
        seen := 'the library is preloaded';
    else
        status := 'warn';
        seen := 'no background worker: the library is not preloaded';
--@c
        hint := 'Add pgtq to shared_preload_libraries and restart the server; until then, call pgtq.ticker() and the maintenance from a loop.';
--@pl
        hint := 'The PL build has none: call pgtq.ticker() and the maintenance from a loop.';
--@end
    end if;
    return next;
end;
$$ language plpgsql;

comment on function pgtq._check_preload() is 'Internal: a check of health(): is the library preloaded';
