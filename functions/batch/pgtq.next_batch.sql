create or replace function pgtq.next_batch(in i_queue_name text, in i_consumer_name text)
returns bigint
-- Opens the next batch of a consumer.
--
-- Returns the batch's id, or null if there is nothing to read yet.
--@c
as 'MODULE_PATHNAME', 'pgtq_next_batch' language c;
--@pl
as $$
begin
    return (pgtq.next_batch_custom(i_queue_name, i_consumer_name, null, null, null)).batch_id;
end;
$$ language plpgsql;
--@end

comment on function pgtq.next_batch(text, text) is 'Open the next batch of a consumer; its id, or null';
