-- What operators look up: what is noted before it, and that nothing else opens a lead.
begin;
select plan(13);
\ir ../helpers.psql

select pg_temp.create_people(), pg_temp.create_vendor('vendor');
insert into public.operators (user_id) values (md5('user visitor')::uuid), (md5('user mia')::uuid);
insert into public.recruiting_leads (id, vendor_id, vendor_lead_id, first_name, vendor_metadata, request_id)
values (md5('lead')::uuid, md5('vendor')::uuid, 'app-1', 'Ada', '{"phone": "+13125550142"}', 'request-77');
select pg_temp.create_lead('sale', 'ann');

-- The value of a statement that is run as this user, or its error code.
create function pg_temp.as_user(name text, statement text) returns text language sql as $$
  select regexp_replace(pg_temp.result_as(name, statement), '^(PT\d{3}|42501) .*', '\1')
$$;
-- An action that was begun a moment ago, as by an earlier transaction.
create function pg_temp.begin_as(name text, action text, subject jsonb) returns text language plpgsql as $$
declare
  action_id text := pg_temp.as_user(name, format('select public.begin_operator_action(%L, %L)', action, subject));
begin
  update public.operator_actions a set created_at = now() - interval '1 s' where a.id::text = action_id;
  return action_id;
end
$$;
create function pg_temp.searched(words text) returns jsonb language sql as $$
  select pg_temp.as_user('visitor', format('select public.search_leads(%L, %L)',
    pg_temp.begin_as('visitor', 'lead find', '{"by": "words"}'), words))::jsonb
$$;

select is(pg_temp.searched(words) #>> '{found,0,id}', md5('lead')::uuid::text, 'a lead is found by ' || words)
from unnest(array['app-1', 'request-77']) words;
select is(pg_temp.searched('nobody at all'), '{"found": [], "cut": []}', 'or nothing is');
insert into public.recruiting_leads (vendor_id, first_name, created_at)
select md5('vendor')::uuid, 'Bea', now() - n * interval '1 hour' from generate_series(1, 20) n;
insert into public.rejected_deliveries (vendor_id, route, code, reason, payload, payload_bytes, request_id)
select md5('vendor')::uuid, 'POST /recruiting/ingest', 'BAD_REQUEST', 'missing phone', '{"first_name": "Bea"}', 21, 'request-' || n
from generate_series(100, 101) n;
select is(pg_temp.searched('bea') -> 'cut', '[]', 'twenty of a kind are all there');
insert into public.recruiting_leads (vendor_id, first_name, created_at) values (md5('vendor')::uuid, 'Bea', now() - interval '9 days');
select is(
  (select array[jsonb_array_length(s -> 'found')::text, s ->> 'cut', s #>> '{found,21,kind}'] from pg_temp.searched('bea') s),
  array['22', '["recruiting"]', 'recruiting'], 'of more the newest twenty, and that there are more of this kind');
select ok(
  (select 'statement_timeout=6s' = any (p.proconfig) from pg_proc p where p.oid = 'public.search_leads(uuid, text)'::regprocedure),
  'a search ends after six seconds');
select is(
  pg_temp.as_user('visitor', format('select public.search_leads(%L, %L)', pg_temp.begin_as('visitor', 'lead find', '{"by": "words"}'), ' ')), 'PT400', 'nothing typed is an error');

create temp table begun as select
  pg_temp.begin_as('visitor', 'lead show', jsonb_build_object('lead_id', md5('lead')::uuid)) as lead,
  pg_temp.begin_as('visitor', 'lead show', jsonb_build_object('lead_id', md5('sale')::uuid)) as sale,
  pg_temp.begin_as('visitor', 'lead show', jsonb_build_object('lead_id', md5('none')::uuid)) as none;
grant select on begun to authenticated;
select is(
  (select array[s ->> 'kind', s #>> '{lead,name}', jsonb_typeof(s -> 'timeline'), s #>> '{explained,lead,distribution}']
   from (select pg_temp.as_user('visitor', format('select public.read_lead(%L)', lead))::jsonb from begun) r (s)),
  array['recruiting', 'Ada', 'array', 'not_requested'], 'a lead has its history, and where it went');
select is(
  (select pg_temp.as_user('visitor', format('select public.read_lead(%L)', sale))::jsonb -> 'explained' from begun), 'null',
  'a sales lead is for no order');
select is((select pg_temp.as_user('visitor', format('select public.read_lead(%L)', none)) from begun), 'PT404', 'an unknown lead');
select is((select pg_temp.as_user('mia', format('select public.read_lead(%L)', lead)) from begun), 'PT404', 'another operator''s action opens nothing');
select is((select pg_temp.as_user('visitor', format('select public.search_leads(%L, %L)', lead, 'ada')) from begun), 'PT404', 'nor an action of another kind');
update public.operator_actions a set created_at = now() - interval '61 s' where a.id::text = (select lead from begun);
select is((select pg_temp.as_user('visitor', format('select public.read_lead(%L)', lead)) from begun), 'PT404', 'nor one of more than a minute ago');

select * from finish();
rollback;
