--@pl
create or replace function pgtq._urlencode(i_text text)
returns text
as $$
-- Letters, digits, _ . - as they are, a blank as +, other bytes as %xx.
begin
    if i_text operator(pg_catalog.!~) '[^-_.a-zA-Z0-9]' then
        return i_text;
    elsif i_text operator(pg_catalog.!~) '[^-_.a-zA-Z0-9 ]' then
        return pg_catalog.translate(i_text, ' ', '+');
    end if;
    return (
        select pg_catalog.string_agg(
                   pg_catalog.concat(
                       pg_catalog.translate(part[1], ' ', '+'),
                       pg_catalog.regexp_replace(
                           pg_catalog.encode(pg_catalog.convert_to(part[2], pg_catalog.getdatabaseencoding()), 'hex'),
                           '..', '%\&', 'g')), '' order by n)
          from pg_catalog.regexp_matches(i_text, '([-_.a-zA-Z0-9 ]*)([^-_.a-zA-Z0-9 ]*)', 'g') with ordinality m (part, n));
end;
$$ language plpgsql stable strict;

comment on function pgtq._urlencode(text) is 'Internal: encode a text as in URLs';
--@end
