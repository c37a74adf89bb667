-- Leads go to another agent, with their conversations and what is unread.
begin;
select plan(35);
\ir ../helpers.psql

select pg_temp.create_agency('agency', 'UTC', 'ann', 'bob', 'mia', 'gone'), pg_temp.create_agency('elsewhere', 'UTC', 'otto'),
  pg_temp.create_vendor('vendor');
update public.agents set is_active = false where id = md5('gone')::uuid;

-- A recruit of ann's, unless said otherwise, with a conversation that `takes` has taken over, and a text in it.
create function pg_temp.add_recruit(name text, agent text default 'ann', takes text default 'ann') returns void
language plpgsql as $$
begin
  insert into public.recruiting_leads (id, vendor_id, first_name, agency_id, agent_id, distribution, distributed_at)
  values (md5(name)::uuid, md5('vendor')::uuid, name, md5('agency')::uuid, md5(agent)::uuid, 'distributed', now());
  perform pg_temp.create_conversation(
    name, '+1999' || right(translate(md5(name), 'abcdef', '123456'), 7), '+19995550100', takes, lead => name);
  insert into public.recruiting_messages (id, conversation_id, direction, sender_type, body)
  values (md5(name)::uuid, md5(name)::uuid, 'inbound', 'recruit', 'Hi'),
    (md5(name || ' read')::uuid, md5(name)::uuid, 'inbound', 'recruit', 'Ho');
  insert into public.agent_notifications (agent_id, conversation_id, message_id, kind, read_at)
  select md5(takes)::uuid, md5(name)::uuid, md5(name || said)::uuid, 'text', read_at
  from (values ('', null::timestamptz), (' read', now())) m (said, read_at)
  where takes is not null;
end
$$;
-- The agent of the lead and of its conversation, and the notifications about it, unread and read.
create function pg_temp.owners(name text) returns text language sql as $$
  select concat_ws(' ', l.first_name, coalesce(ca.first_name, '-'),
    (select string_agg(na.first_name, ' ' order by n.read_at nulls first, na.first_name)
      from public.agent_notifications n join public.agents na on na.id = n.agent_id where n.conversation_id = c.id))
  from public.recruiting_leads r
  join public.agents l on l.id = r.agent_id
  join public.recruiting_conversations c on c.recruiting_lead_id = r.id
  left join public.agents ca on ca.id = c.assigned_agent_id
  where r.id = md5(name)::uuid
$$;

select pg_temp.add_recruit('one');
select is(
  public.assign_leads(md5('bob')::uuid, lead_id => md5('one')::uuid),
  '{"recruiting_leads": 1, "sales_leads": 0, "conversations": 1, "notifications": 1}', 'one lead moves with what is its');
select is(pg_temp.owners('one'), 'bob bob bob ann', 'what was read stays with who has read it');
select is(
  public.assign_leads(md5('bob')::uuid, lead_id => md5('one')::uuid),
  '{"recruiting_leads": 0, "sales_leads": 0, "conversations": 0, "notifications": 0}', 'again, nothing moves');
select pg_temp.add_recruit('taken', 'ann', 'mia');
select public.assign_leads(md5('bob')::uuid, lead_id => md5('taken')::uuid);
select is(pg_temp.owners('taken'), 'bob bob bob mia', 'with one lead its conversation goes along, also when another agent has taken it over');

select pg_temp.create_lead('sale', 'ann'), pg_temp.create_lead('sale 2', 'ann');
select is(public.assign_leads(md5('bob')::uuid, lead_id => md5('sale')::uuid) -> 'sales_leads', '1', 'a sales lead can be given too');
select is((select agent_id from public.leads where id = md5('sale')::uuid), md5('bob')::uuid, 'to the agent who is named');

create function pg_temp.kept(name text) returns table (who text) language sql as $$
  select concat_ws(' ', f.first_name, '>', t.first_name, a.assigned_by)
  from public.lead_assignments a
  left join public.agents f on f.id = a.from_agent_id
  join public.agents t on t.id = a.to_agent_id
  where a.recruiting_lead_id = md5(name)::uuid or a.sales_lead_id = md5(name)::uuid
$$;
select results_eq($$select * from pg_temp.kept('one')$$, array['ann > bob'], 'who had a lead is kept, and once');
select results_eq($$select * from pg_temp.kept('sale')$$, array['ann > bob'], 'of a sales lead too');

-- All leads of an agent
select pg_temp.add_recruit(name, agent, takes)
from (values ('hers', 'ann', 'ann'), ('bot', 'ann', null), ('of mia', 'ann', 'mia'), ('helped', 'mia', 'ann'),
  ('of others', 'mia', 'mia')) r (name, agent, takes);
select pg_temp.add_text('waiting', 'hers');
insert into public.agent_notifications (agent_id, lead_id, kind) values (md5('ann')::uuid, md5('hers')::uuid, 'lead');
select pg_temp.add_recruit('told both');
insert into public.agent_notifications (agent_id, conversation_id, message_id, kind)
values (md5('bob')::uuid, md5('told both')::uuid, md5('told both')::uuid, 'text');
insert into public.recruiting_orders (id, agency_id, agent_id, quantity)
values (md5('order')::uuid, md5('agency')::uuid, md5('ann')::uuid, 10);
select is(
  public.assign_leads(md5('bob')::uuid, from_agent_id => md5('ann')::uuid),
  '{"recruiting_leads": 4, "sales_leads": 1, "conversations": 4, "notifications": 3}', 'all leads of an agent move');
select is(pg_temp.owners(name), owners, format('of the lead "%s"', name))
from (values ('hers', 'bob bob bob ann'), ('bot', 'bob bob'), ('of mia', 'bob mia mia mia'), ('helped', 'mia bob bob ann'),
  ('of others', 'mia mia mia mia'), ('told both', 'bob bob ann bob ann')) e (name, owners);
select is((select agent_id from public.leads where id = md5('sale 2')::uuid), md5('bob')::uuid, 'a sales lead goes along');
select is((select state from public.text_outbox where message_id = md5('waiting')::uuid), 'pending', 'a text waits on');
select is((select agent_id from public.recruiting_orders where id = md5('order')::uuid), md5('ann')::uuid, 'an order stays as it is');
select is(
  (select count(*) from public.recruiting_leads where agent_id = md5('ann')::uuid)
    + (select count(*) from public.recruiting_conversations where assigned_agent_id = md5('ann')::uuid)
    + (select count(*) from public.agent_notifications where agent_id = md5('ann')::uuid and read_at is null),
  1::bigint, 'nothing is left with the agent but what the other one was notified of, too');

select results_eq($$select * from pg_temp.kept('hers') union all select * from pg_temp.kept('sale 2')$$,
  array['ann > bob', 'ann > bob'], 'who had each of them is kept');
select pg_temp.add_recruit('nobody''s');
update public.recruiting_leads set agent_id = null where id = md5('nobody''s')::uuid;
select set_config('admin.operator', 'olga', true);
select public.assign_leads(md5('ann')::uuid, lead_id => md5('nobody''s')::uuid);
select set_config('admin.operator', '', true);
select results_eq($$select * from pg_temp.kept('nobody''s')$$, array['> ann olga'], 'also that nobody had it, and who gave it');
select results_eq(
  $$select e ->> 'event' || ': ' || (e ->> 'detail')
    from json_array_elements(public.show_lead(md5('nobody''s')::uuid) -> 'timeline') e
    where e ->> 'event' in ('distributed', 'assigned')$$,
  array['distributed: to agency', 'assigned: from nobody to ann by olga'], 'and the lead shows it');
delete from public.recruiting_leads where id = md5('hers')::uuid;
select is_empty($$select * from pg_temp.kept('hers')$$, 'what is kept goes with its lead');

-- A lead that is held as a repeat
insert into public.recruiting_leads (id, vendor_id, first_name, distribution)
values (md5('held')::uuid, md5('vendor')::uuid, 'Eve', 'repeat');
insert into public.destinations (agency_id, name, kind, url, events)
values (md5('agency')::uuid, 'crm', 'webhook', 'https://example.com', '{lead.distributed,lead.reassigned}');
select public.assign_leads(md5('ann')::uuid, lead_id => md5('held')::uuid);
select private.deliver_notifications();
select results_eq(
  $$select p.event, p.body #>> '{data,agent,first_name}', a.first_name from private.dispatches p, public.agent_notifications n
    join public.agents a on a.id = n.agent_id
    where p.lead_id = md5('held')::uuid and n.lead_id = md5('held')::uuid$$,
  $$values ('lead.distributed', 'ann', 'ann')$$, 'a held lead is new for the agency''s destinations and for the agent');
select results_eq($$select * from pg_temp.kept('held')$$, array['> ann'], 'who had it is kept, once');

insert into public.recruiting_leads (id, vendor_id, first_name, distribution)
values (md5('waits')::uuid, md5('vendor')::uuid, 'Ada', 'unmatched'), (md5('erased')::uuid, md5('vendor')::uuid, '(erased)', 'repeat');
insert into public.recruiting_leads (id, vendor_id, first_name, vendor_metadata, distribution)
values (md5('never')::uuid, md5('vendor')::uuid, 'Ada', '{"phone": "+19995550199"}', 'repeat');
insert into public.suppressions (kind, value, reason, source) values ('phone', '+19995550199', 'asked', 'operator');
select throws_ok(format('select public.assign_leads(%s)', arguments), code, message, message)
from (values
  ($$md5('bob')::uuid$$, 'PT400', 'give lead_id or from_agent_id, and not both'),
  ($$md5('nobody')::uuid, md5('one')::uuid$$, 'PT404', 'to_agent_id: there is no such agent'),
  ($$md5('gone')::uuid, md5('one')::uuid$$, 'PT409', 'to_agent_id: the agent is inactive'),
  ($$md5('otto')::uuid, md5('one')::uuid$$, 'PT409', 'to_agent_id: the agent is of another agency'),
  ($$md5('otto')::uuid, from_agent_id => md5('bob')::uuid$$, 'PT409', 'to_agent_id: the agent is of another agency'),
  ($$md5('bob')::uuid, md5('nothing')::uuid$$, 'PT404', 'lead_id: there is no such one'),
  ($$md5('bob')::uuid, md5('waits')::uuid$$, 'PT409', 'lead_id: the lead waits for an order, so it has no agency yet'),
  ($$md5('bob')::uuid, md5('never')::uuid$$, 'PT409', 'lead_id: its person is suppressed or was erased'),
  ($$md5('bob')::uuid, md5('erased')::uuid$$, 'PT409', 'lead_id: its person is suppressed or was erased'),
  ($$md5('bob')::uuid, from_agent_id => md5('bob')::uuid$$, 'PT400', 'from_agent_id: it is the same agent')
) e (arguments, code, message);

select * from finish();
rollback;
