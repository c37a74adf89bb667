-- Who opens which resume: the policy on storage.objects, which storage asks when a signed-in person signs a URL.
begin;
select plan(20);
\ir ../helpers.psql

select pg_temp.create_people();
select pg_temp.create_vendor('vendor');

-- A lead with a resume for each of: ann, cal, former, the agency itself, otto elsewhere, and nobody.
insert into public.recruiting_leads (id, vendor_id, first_name, agency_id, agent_id, resume_path)
select md5('lead ' || owner)::uuid, md5('vendor')::uuid, owner, md5(agency)::uuid, md5(agent)::uuid,
  format('%s/%s.pdf', md5('vendor')::uuid, md5('lead ' || owner)::uuid)
from (values
  ('ann', 'agency', 'ann'), ('cal', 'agency', 'cal'), ('former', 'agency', 'former'), ('agency', 'agency', null),
  ('otto', 'elsewhere', 'otto'), ('nobody', null, null)
) o (owner, agency, agent);
insert into storage.buckets (id, name) values ('test-bucket', 'test-bucket');
insert into storage.objects (bucket_id, name)
select bucket_id, resume_path
from public.recruiting_leads
-- Another bucket may have an object of the same name.
cross join unnest(array['resumes', 'test-bucket']) bucket_id
where vendor_id = md5('vendor')::uuid;
insert into storage.objects (bucket_id, name) values ('resumes', md5('vendor')::uuid || '/left over.pdf');

-- The leads whose resumes this person sees. Anything else it sees stands there with its bucket and name.
create function pg_temp.sees(name text) returns text[] language plpgsql as $$
declare
  paths text[];
begin
  perform pg_temp.become(name);
  select array_agg(bucket_id || ' ' || o.name) into paths from storage.objects o;
  perform set_config('role', 'none', true);
  return array(
    select coalesce(l.first_name, path)
    from unnest(paths) path
    left join public.recruiting_leads l on 'resumes ' || l.resume_path = path
    where path like '%' || md5('vendor')::uuid || '%'
    order by 1
  );
end
$$;

select is(pg_temp.sees(name), expected, name || ': ' || why)
from (values
  ('ann', array['ann'], 'an agent sees the resumes of its own recruits'),
  ('cal', array['cal'], 'and not those of a colleague'),
  ('mia', array['agency', 'ann', 'cal', 'former'], 'a manager sees all of its agency, but not what was never distributed'),
  ('otto', array['otto'], 'a manager of another agency sees its own alone'),
  ('former', array[]::text[], 'who is no longer active sees none'),
  ('visitor', array[]::text[], 'nor does a user who is not an agent'),
  ('anon', array[]::text[], 'nor who is not signed in')
) people (name, expected, why);

-- Nobody but the service role changes them.
select is_empty(
  $$select policyname from pg_policies where schemaname = 'storage' and cmd <> 'SELECT' and coalesce(with_check, qual) like '%resumes%'$$,
  'no policy lets anybody write resumes');
select policy_cmd_is('storage', 'objects', 'agents read their recruits'' resumes, managers their agency''s'::name, 'select');
select policy_roles_are(
  'storage', 'objects', 'agents read their recruits'' resumes, managers their agency''s'::name, array['authenticated']);
select ok(not public, 'the bucket is private') from storage.buckets where id = 'resumes';
select is(
  (select array_agg(type order by type) from unnest(allowed_mime_types) type),
  array[
    'application/msword', 'application/pdf', 'application/rtf', 'application/vnd.oasis.opendocument.text',
    'application/vnd.openxmlformats-officedocument.wordprocessingml.document', 'text/plain'
  ],
  'the bucket takes documents alone: no web page, no image that may hold a script, no archive')
from storage.buckets
where id = 'resumes';

create function pg_temp.changes(name text, statement text) returns text language plpgsql as $$
declare
  changed integer;
begin
  perform pg_temp.become(name);
  execute statement;
  get diagnostics changed = row_count;
  perform set_config('role', 'none', true);
  return changed;
exception when insufficient_privilege then
  return 'refused';
end
$$;

select is(pg_temp.changes(name, statement), expected, format('%s: %s', name, left(statement, 40)))
from (values
  ($$insert into storage.objects (bucket_id, name) values ('resumes', 'mine.pdf')$$, 'refused'),
  ($$update storage.objects set name = name || 'x'$$, '0')
) statements (statement, expected)
cross join unnest(array['ann', 'mia', 'anon']) name;

-- Plans, with so many resumes that reading all of them would cost more than the index.
insert into public.recruiting_leads (vendor_id, first_name, agency_id, agent_id, resume_path)
select md5('vendor')::uuid, 'many', md5('agency')::uuid, md5('ann')::uuid, 'many/' || n
from generate_series(1, 3000) n;
analyze public.recruiting_leads;
grant execute on function pg_temp.plan_of(text) to authenticated;
select pg_temp.become('ann');

select matches(
  pg_temp.plan_of($$select from storage.objects where bucket_id = 'resumes' and name = 'x'$$),
  'Index (Only )?Scan using recruiting_leads_resume_path_idx.*Index Cond: \(resume_path = objects.name\)',
  'the lead of an object is found by its index');
select matches(
  pg_temp.plan_of($$select from storage.objects where bucket_id = 'resumes' and name = 'x'$$), 'InitPlan',
  'who the reader is is asked once');

select * from finish();
rollback;
