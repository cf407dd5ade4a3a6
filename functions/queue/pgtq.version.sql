create or replace function pgtq.version()
returns text
as $$
-- The version of these functions; the same as default_version in pgtq.control.
begin
    return '0.1';
end;
$$ language plpgsql immutable;

comment on function pgtq.version() is 'Version of pgtq';
