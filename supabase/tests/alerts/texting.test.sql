-- Alerts about texts: for what each kind is open, and for what not.
begin;
select plan(61);
\ir ../helpers.psql

select pg_temp.create_agency('agency'), pg_temp.create_agency('other');
-- Texts of other tests may be there; this one's outcome must not depend on them.
truncate public.service_numbers, public.recruiting_conversations, public.unmatched_texts, private.lead_notifications_due,
  private.waiting_greetings cascade;
delete from public.alerts;
delete from private.job_runs;
insert into public.service_numbers (phone, agency_id)
values ('+19995550100', md5('agency')::uuid), ('+19995550101', md5('agency')::uuid), ('+19995550102', md5('other')::uuid);
select pg_temp.create_conversation('talk ' || n, '+1999666' || 1000 + n, '+19995550100', spoke => '0') from generate_series(1, 120) n;
select pg_temp.create_conversation('talk b', '+19996669001', '+19995550101', spoke => '0');

-- The findings of a kind after some statements, which are undone again: the subject and the figures, times as <time>.
create function pg_temp.found(kind text, statements text default 'select') returns text language plpgsql as $$
declare
  findings text;
begin
  begin
    execute statements;
    execute format(
      $q$select string_agg(f.subject || ' ' || (f.details - 'agency'), E'\n' order by f.subject)
        from public.alert_rules r, private.%I(r.threshold, now()) f where r.kind = %L$q$, 'find_' || kind, kind)
    into findings;
    raise exception using errcode = 'UNDO0';
  exception when sqlstate 'UNDO0' then
    null;
  end;
  return regexp_replace(replace(findings, md5('agency')::uuid::text, '<agency>'), '"\d{4}-\d\d-\d\dT[^"]+"', '<time>', 'g');
end
$$;
-- The same in words, with the command and the link.
create function pg_temp.said(kind text, statements text) returns text language plpgsql as $$
declare
  words text;
begin
  begin
    execute statements;
    execute format(
      $q$select string_agg(concat_ws(': ', f.subject_name, f.problem, f.command, f.link), E'\n' order by f.subject)
        from public.alert_rules r, private.%I(r.threshold, now()) f where r.kind = %L$q$, 'find_' || kind, kind)
    into words;
    raise exception using errcode = 'UNDO0';
  exception when sqlstate 'UNDO0' then
    null;
  end;
  words := replace(replace(words, md5('agency')::uuid::text, '<agency>'), left(md5('agency'), 8), '<agency>');
  return regexp_replace(words, '[A-Z][a-z]+ \d+, \d{4}, \d+:\d\d [AP]M UTC', '<time>', 'g');
end
$$;
-- A text of talk 1 with these columns.
create function pg_temp.text(changes text, talk text default 'talk 1') returns void language plpgsql as $$
begin
  perform pg_temp.add_text('text ' || talk, talk);
  execute format('update public.text_outbox set %s where message_id = md5(%L)::uuid', changes, 'text ' || talk);
end
$$;
-- Texts that were posted, the first to talk 1 a minute ago: how many, and how many of the oldest have failed.
create function pg_temp.posted(texts integer, failed integer default 0, state text default 'accepted') returns void
language plpgsql as $$
begin
  insert into public.recruiting_messages (id, conversation_id, direction, sender_type, body, status)
  select md5('posted ' || n)::uuid, md5('talk ' || n)::uuid, 'outbound', 'agent', 'Hi', case when n > texts - failed then 'failed' end
  from generate_series(1, texts) n;
  insert into public.text_outbox (message_id, kind, state, attempted_at)
  select md5('posted ' || n)::uuid, 'agent', case when n > texts - failed then posted.state else 'accepted' end,
    now() - n * interval '1 minute'
  from generate_series(1, texts) n;
end
$$;
-- Recruits of these talks who opted out a moment ago.
create function pg_temp.opt_out(ago interval, variadic talks integer[]) returns void language plpgsql as $$
begin
  insert into public.text_consent_events (agency_id, phone, state, source, occurred_at)
  select md5('agency')::uuid, '+1999666' || 1000 + t, 'opted_out', 'keyword', now() - ago from unnest(talks) t;
end
$$;
create function pg_temp.receive(body text, number text default '+19995550100') returns void language plpgsql as $$
begin
  insert into public.unmatched_texts (recruit_phone, service_phone, body) values ('+19996668001', number, receive.body);
end
$$;

select is(pg_temp.found(kind, statements), finding, concat_ws(': ', kind, statements))
from (values
  ('number_paused', 'select', null),
  ('number_paused', $$update public.service_numbers set status = 'paused' where phone <= '+19995550101'$$,
    E'+19995550100 {}\n+19995550101 {}'),
  -- Texts that are not sent
  ('texts_stuck', $$select pg_temp.text('first_due_at = now() - interval ''299 seconds''')$$, null),
  ('texts_stuck', $$select pg_temp.text('first_due_at = now() - interval ''5 minutes''')$$,
    '+19995550100 {"since": <time>, "texts": 1}'),
  ('texts_stuck', $$select pg_temp.text('first_due_at = now() - interval ''1 hour'''),
      pg_temp.text('first_due_at = now() - interval ''2 hours''', 'talk 2'),
      pg_temp.text('first_due_at = now() - interval ''1 hour''', 'talk b')$$,
    E'+19995550100 {"since": <time>, "texts": 2}\n+19995550101 {"since": <time>, "texts": 1}'),
  ('texts_stuck', $$select pg_temp.text('first_due_at = now() - interval ''1 hour'', due_at = now() + interval ''1 hour'', reason = ''401''')$$,
    '+19995550100 {"since": <time>, "texts": 1}'),
  ('texts_stuck', $$select pg_temp.text('first_due_at = now() - interval ''1 hour'', state = ''unconfirmed'', due_at = ''infinity''')$$,
    '+19995550100 {"since": <time>, "texts": 1}'),
  ('texts_stuck', $$select pg_temp.text('first_due_at = now() - interval ''1 hour'', state = ''accepted''')$$, null),
  ('texts_stuck', $$select pg_temp.text('first_due_at = now() - interval ''1 hour''');
    update public.service_numbers set status = 'paused'$$, null),
  ('texts_stuck', $$select pg_temp.text('first_due_at = now() - interval ''1 hour''');
    update public.service_numbers set status = 'paused'; update public.service_numbers set status = 'active'$$, null),
  ('texts_stuck', $$select pg_temp.text('first_due_at = now() - interval ''1 hour'''); delete from public.service_numbers where phone = '+19995550100'$$,
    'texts_stuck {"since": <time>, "texts": 1}'),
  ('texts_stuck', $$select pg_temp.text('first_due_at = now() - interval ''1 hour'''); delete from public.service_numbers$$, null),
  ('texts_stuck', $$select pg_temp.text('reason = ''credentials''')$$,
    'texts_stuck {"since": <time>, "texts": 1, "reason": "credentials"}'),
  ('texts_stuck', $$select pg_temp.text('reason = ''no_account''')$$,
    'texts_stuck {"since": <time>, "texts": 1, "reason": "no_account"}'),
  ('texts_stuck', $$select pg_temp.text('reason = ''credentials'', first_due_at = now() - interval ''1 hour'''),
      pg_temp.text('first_due_at = now() - interval ''1 hour''', 'talk 2')$$,
    E'+19995550100 {"since": <time>, "texts": 1}\ntexts_stuck {"since": <time>, "texts": 1, "reason": "credentials"}'),
  ('texts_stuck', $$select pg_temp.text('reason = ''credentials'''); update public.service_numbers set status = 'paused'$$, null),
  ('texts_stuck', $$update public.alert_rules set threshold = '{"minutes": 0.5}' where kind = 'texts_stuck';
    select pg_temp.text('first_due_at = now() - interval ''30 seconds''')$$, '+19995550100 {"since": <time>, "texts": 1}'),
  -- Texts that are held
  ('texts_held', $$select pg_temp.text('first_due_at = ''infinity'', created_at = now() - interval ''47 hours''')$$, null),
  ('texts_held', $$select pg_temp.text('first_due_at = now() + interval ''1 hour'', created_at = now() - interval ''48 hours'''),
      pg_temp.text('first_due_at = ''infinity'', created_at = now() - interval ''3 days''', 'talk 2'),
      pg_temp.text('first_due_at = ''infinity'', created_at = now() - interval ''3 days''', 'talk b')$$,
    E'+19995550100 {"since": <time>, "texts": 2}\n+19995550101 {"since": <time>, "texts": 1}'),
  ('texts_held', $$select pg_temp.text('created_at = now() - interval ''3 days''')$$, null),
  ('texts_held', $$select pg_temp.text('first_due_at = ''infinity'', created_at = now() - interval ''3 days''');
    update public.service_numbers set status = 'paused'$$, null),
  ('texts_held', $$update public.alert_rules set threshold = '{"hours": 0.5}' where kind = 'texts_held';
    select pg_temp.text('first_due_at = ''infinity'', created_at = now() - interval ''30 minutes''')$$,
    '+19995550100 {"since": <time>, "texts": 1}'),
  -- Texts that fail
  ('texts_failing', 'select pg_temp.posted(100, 4)', null),
  ('texts_failing', 'select pg_temp.posted(100, 5)', '<agency> {"texts": 100, "failed": 5, "opted_out": 0}'),
  ('texts_failing', 'select pg_temp.posted(19, 19)', null),
  ('texts_failing', $$select pg_temp.posted(20, 1, 'failed')$$, '<agency> {"texts": 20, "failed": 1, "opted_out": 0}'),
  ('texts_failing', $$select pg_temp.posted(100, 5, 'refused')$$, null),
  -- The last 100 count, and the oldest here have failed.
  ('texts_failing', 'select pg_temp.posted(105, 10)', '<agency> {"texts": 100, "failed": 5, "opted_out": 0}'),
  ('texts_failing', 'select pg_temp.posted(120, 20)', null),
  ('texts_failing', $$select pg_temp.posted(60, 3); update public.service_numbers set agency_id = md5('other')::uuid where phone <> '+19995550100'$$,
    '<agency> {"texts": 60, "failed": 3, "opted_out": 0}'),
  ('texts_failing', $$select pg_temp.posted(100), pg_temp.opt_out('0', 1, 2)$$, null),
  ('texts_failing', $$select pg_temp.posted(100), pg_temp.opt_out('0', 1, 2, 3)$$, '<agency> {"texts": 100, "failed": 0, "opted_out": 3}'),
  ('texts_failing', $$select pg_temp.posted(100), pg_temp.opt_out('3 hours', 1, 2, 3)$$, null),
  ('texts_failing', $$select pg_temp.posted(100), pg_temp.opt_out('0', 101, 102, 103)$$, null),
  -- Opt-outs of nobody
  ('opt_out_unmatched', $$select pg_temp.receive('Hello')$$, null),
  ('opt_out_unmatched', $$select pg_temp.receive('Stop'); select pg_temp.create_conversation('new', '+19996668001', '+19995550100')$$, null),
  ('opt_out_unmatched', $$select pg_temp.receive('Stop'), pg_temp.receive('stop texting me'), pg_temp.receive('Stop', '+19995550101')$$,
    E'+19995550100 {"since": <time>, "texts": 2}\n+19995550101 {"since": <time>, "texts": 1}'),
  ('opt_out_unmatched', $$select pg_temp.receive('Stop', '+19995559999'), pg_temp.receive('Stop', null), pg_temp.receive('Stop', repeat('1', 9000))$$,
    'opt_out_unmatched {"since": <time>, "texts": 3}'),
  -- The worker
  ('worker_late', $$select pg_temp.text('due_at = now() - interval ''299 seconds''')$$, null),
  ('worker_late', $$select pg_temp.text('due_at = now() - interval ''5 minutes''')$$, 'worker_late {"due": 1, "since": <time>}'),
  ('worker_late', $$select pg_temp.text('due_at = now() - interval ''5 minutes'''); select public.claim_texts(1)$$, null),
  ('worker_late', $$select pg_temp.text('due_at = now() - interval ''1 hour''');
    insert into private.job_runs (job, started_at) values ('send texts', now() - interval '299 seconds')$$, null),
  ('worker_late', $$select pg_temp.text('due_at = now() - interval ''1 hour''');
    insert into private.job_runs (job, started_at) values ('send texts', now() - interval '5 minutes')$$,
    'worker_late {"due": 1, "since": <time>}'),
  ('worker_late', $$select pg_temp.text('due_at = now() - interval ''1 hour''');
    insert into private.job_runs (job, started_at) values ('check alerts', now())$$, 'worker_late {"due": 1, "since": <time>}'),
  ('worker_late', $$insert into private.job_runs (job, started_at) values ('send texts', now() - interval '1 day')$$, null),
  ('worker_late', $$select pg_temp.text('due_at = now() - interval ''1 hour'''); update public.service_numbers set busy_until = now()$$, null),
  ('worker_late', $$select pg_temp.text('state = ''sending'', lease_until = now() - interval ''1 hour''')$$, 'worker_late {"due": 1, "since": <time>}'),
  ('worker_late', $$select pg_temp.text('state = ''unconfirmed'', due_at = now() - interval ''1 hour''')$$, 'worker_late {"due": 1, "since": <time>}'),
  ('worker_late', $$insert into public.bot_turns (conversation_id, due_at, message_ids)
    values (md5('talk 1')::uuid, now() - interval '1 hour', '{}')$$, 'worker_late {"due": 1, "since": <time>}'),
  ('worker_late', $$insert into private.lead_notifications_due (lead_id, placed_at) values (md5('nobody')::uuid, now() - interval '1 hour')$$,
    'worker_late {"due": 1, "since": <time>}')
) c (kind, statements, finding);

-- Their words, commands and links
select is(pg_temp.said(kind, statements), words, concat_ws(': ', kind, statements))
from (values
  ('number_paused', $$update public.service_numbers set status = 'paused' where phone = '+19995550100'$$,
    'number +19995550100 of agency: paused, so its texts wait: number resume +19995550100: /operator/numbers'),
  ('texts_stuck', $$select pg_temp.text('first_due_at = now() - interval ''1 hour''')$$,
    'number +19995550100 of agency: 1 text not sent, the first due <time>: text outbox: /operator/outbox'),
  ('texts_stuck', $$select pg_temp.text('reason = ''credentials''')$$,
    'texts: not sent since <time>: the provider refuses the login: text outbox: /operator/outbox'),
  ('texts_stuck', $$select pg_temp.text('reason = ''no_account''')$$,
    'texts: not sent since <time>: TWILIO_ACCOUNT_SID is not set: text outbox: /operator/outbox'),
  ('texts_held', $$select pg_temp.text('first_due_at = ''infinity'', created_at = now() - interval ''3 days''')$$,
    'number +19995550100 of agency: 1 text has waited for more than 48 hours, the first written <time>: text outbox --agency <agency>: /operator/outbox'),
  ('texts_held', $$select pg_temp.text('first_due_at = ''infinity'', created_at = now() - interval ''3 days'''),
      pg_temp.text('first_due_at = ''infinity'', created_at = now() - interval ''3 days''', 'talk 2')$$,
    'number +19995550100 of agency: 2 texts have waited for more than 48 hours, the first written <time>: text outbox --agency <agency>: /operator/outbox'),
  ('worker_late', $$select pg_temp.text('due_at = now() - interval ''1 hour''')$$,
    'worker: not called since <time>, with 1 due: text outbox: /operator/outbox'),
  ('texts_failing', 'select pg_temp.posted(100, 5)', 'agency agency: of its last 100 texts, 5 failed: text outbox --state failed --agency <agency>: /operator/outbox/failed/<agency>'),
  ('texts_failing', $$select pg_temp.posted(21), pg_temp.opt_out('0', 1)$$,
    'agency agency: of its last 21 texts, 1 was answered by an opt-out: text outbox --state failed --agency <agency>: /operator/agencies/<agency>/orders'),
  ('opt_out_unmatched', $$select pg_temp.receive('Stop')$$,
    'number +19995550100 of agency: 1 opt-out without a conversation, the first <time>: text unmatched: /operator/texts'),
  ('opt_out_unmatched', $$select pg_temp.receive('Stop', null)$$, 'texts: 1 opt-out without a conversation, the first <time>: text unmatched: /operator/texts')
) c (kind, statements, words);

select * from finish();
rollback;
