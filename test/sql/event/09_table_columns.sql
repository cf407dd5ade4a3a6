-- Columns that an administrator adds to the event tables do no harm, in both builds.
select plan(4);
\ir ../common.psql
select pgtq.create_queue('q'), always_tick('q'), pgtq.register_consumer('q', 'c');
select pgtq.insert_event('q', 't', 'before');
select format('alter table pgtq.event_template %s',
              string_agg(format('add column more_%s text default %L', n, 'default ' || n), ', '))
  from generate_series(1, 50) n \gexec
alter table pgtq.event_template add column dropped text;
alter table pgtq.event_template drop column dropped;
select pgtq.insert_event('q', 't', 'after', '1', '2', '3', '4');
select is((select array_agg(more_50 order by ev_id) from pgtq.event_template), array['default 50', 'default 50'],
          'a new column has its default');
select pgtq.ticker('q');
select pgtq.next_batch('q', 'c') as batch \gset
select results_eq(format('select ev_data, ev_extra1, ev_extra4 from pgtq.get_batch_events(%s)', :batch),
                  $$values ('before', null, null), ('after', '1', '4')$$, 'batches are read');
select is(pgtq.event_retry(:batch, 2, 0), 1, 'and retried');
select pgtq.finish_batch(:batch);
select pgtq.ticker('q');        -- puts it back
select pgtq.ticker('q');
select is(drain('q', 'c'), array['after'], 'and read again');
select * from finish();
