-- The words of recruits and managers about texts, and the consent that holds.
begin;
select plan(15);
\ir ../helpers.psql

select pg_temp.create_agency('agency', 'UTC', 'manager'), pg_temp.create_agency('other');

create function pg_temp.consent(state text, source text, reason text default null, message text default null,
  moment timestamptz default null)
returns boolean language sql as $$
  select private.record_consent(md5('agency')::uuid, '+19995550001', state, source, 'words', md5(message)::uuid,
    case when source = 'manager' then md5('manager')::uuid end, reason, moment)
$$;
create function pg_temp.state() returns text language sql as $$
  select state || ' ' || source from public.text_consents where agency_id = md5('agency')::uuid and phone = '+19995550001'
$$;
create function pg_temp.is_out(agency text default 'agency') returns boolean language sql as $$
  select private.is_opted_out(md5(agency)::uuid, '+19995550001')
$$;

select ok(not pg_temp.is_out(), 'somebody who has said nothing has not opted out');
select ok(pg_temp.consent('opted_out', 'keyword', message => 'stop'), 'an opt-out decides');
select ok(pg_temp.is_out(), 'it holds');
select ok(not pg_temp.is_out('other'), 'not for another agency');
select ok(pg_temp.consent('opted_in', 'keyword', message => 'start'), 'so does an opt-in');
select ok(not pg_temp.consent('opted_out', 'keyword', message => 'stop'), 'a message that has said it already does not');
select is(pg_temp.state(), 'opted_in keyword', 'the message stored again changes nothing');
select is((select count(*)::integer from public.text_consent_events where phone = '+19995550001'), 2, 'each message is one event');

select ok(
  not pg_temp.consent('opted_out', 'keyword', message => 'late', moment => now() - interval '1 hour'),
  'an opt-out from before the opt-in, stored later, does not decide');
select is(
  (select occurred_at from public.text_consent_events where message_id = md5('late')::uuid), now() - interval '1 hour',
  'but it is kept, with its time');
select ok(pg_temp.consent('opted_out', 'manager', 'told me on the phone'), 'a manager decides with a reason');
select throws_ok($$select pg_temp.consent('opted_in', 'manager')$$, '23514', null, 'never without one');
select throws_ok($$select pg_temp.consent('opted_in', 'admin', ' ')$$, '23514', null, 'nor does an administrator');

select throws_ok($$update public.text_consent_events set words = ''$$, '42501', null, 'nobody changes an event');
select throws_ok($$delete from public.text_consent_events$$, '42501', null, 'nobody removes one');

select * from finish();
rollback;
