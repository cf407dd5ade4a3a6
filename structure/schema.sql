-- structure/schema.sql: the schema.
--
-- It is created here, and not adopted: an existing schema has an owner, who could put
-- functions beside ours that are preferred to them.

create schema pgtq;
comment on schema pgtq is 'Timer queue: events and timers in rotating tables, read in batches';
