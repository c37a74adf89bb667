-- The rights to put files beside texts and to open them: the policies on storage.objects for the bucket `text-media`.
begin;
select plan(26);
\ir ../helpers.psql

select pg_temp.create_people(), pg_temp.create_vendor('vendor');
insert into public.recruiting_leads (id, vendor_id, first_name, agency_id, agent_id)
values (md5('recruit')::uuid, md5('vendor')::uuid, 'Recruit', md5('agency')::uuid, md5('ann')::uuid);

-- Conversations with the same recruit of ann's: ann has one, cal has one, and nobody has one yet.
select pg_temp.create_conversation('of ' || owner, recruit, '+19995550000', nullif(owner, 'nobody'), lead => 'recruit')
from (values ('ann', '+19995551001'), ('cal', '+19995551002'), ('nobody', '+19995551003')) c (owner, recruit);

-- The conversations that this person can add a file to.
create function pg_temp.adds_to(person text) returns text[] language plpgsql as $$
declare
  conversation text;
  added text[] := '{}';
begin
  foreach conversation in array array['of ann', 'of cal', 'of nobody'] loop
    perform pg_temp.become(person);
    begin
      insert into storage.objects (bucket_id, name)
      values ('text-media', md5(conversation)::uuid || '/' || person || '.jpg');
      added := added || conversation;
    exception when insufficient_privilege then
      null;
    end;
    perform set_config('role', 'none', true);
  end loop;
  return added;
end
$$;

select is(pg_temp.adds_to(name), expected, format('%s adds files: %s', name, why))
from (values
  ('ann', array['of ann', 'of nobody'], 'an agent to its own conversations and to its recruits'' that nobody has'),
  ('cal', array['of cal'], 'and not to a colleague''s'),
  ('mia', array['of ann', 'of cal', 'of nobody'], 'a manager to all of its agency'),
  ('otto', array[]::text[], 'nobody to another agency''s'),
  ('former', array[]::text[], 'nor who is no longer active'),
  ('visitor', array[]::text[], 'nor a user who is not an agent'),
  ('anon', array[]::text[], 'nor who is not signed in')
) people (name, expected, why);

-- The conversations whose files this person opens.
create function pg_temp.opens(person text) returns text[] language plpgsql as $$
declare
  names text[];
begin
  perform pg_temp.become(person);
  select array_agg(o.name) into names from storage.objects o where o.bucket_id = 'text-media';
  perform set_config('role', 'none', true);
  return array(
    select conversation
    from unnest(array['of ann', 'of cal', 'of nobody']) conversation
    where md5(conversation)::uuid || '/mia.jpg' = any (names)
  );
end
$$;

select is(pg_temp.opens(name), expected, format('%s opens files: %s', name, why))
from (values
  ('ann', array['of ann', 'of cal', 'of nobody'], 'an agent those of its recruits, with any writer'),
  ('cal', array['of cal'], 'and of its own conversations'),
  ('mia', array['of ann', 'of cal', 'of nobody'], 'a manager those of its agency'),
  ('otto', array[]::text[], 'nobody those of another agency'),
  ('former', array[]::text[], 'nor who is no longer active'),
  ('visitor', array[]::text[], 'nor a user who is not an agent'),
  ('anon', array[]::text[], 'nor who is not signed in')
) people (name, expected, why);

-- Names of another form belong to no conversation.
create function pg_temp.add(name text) returns void language plpgsql as $$
begin
  perform pg_temp.become('mia');
  insert into storage.objects (bucket_id, name) values ('text-media', add.name);
end
$$;
select throws_ok(format('select pg_temp.add(%L)', name), '42501', null, format('%s is no name for a file', name))
from unnest(array[
  'a.jpg', md5('of ann')::uuid::text, md5('of ann')::uuid || '/', md5('of ann')::uuid || '/a/b.jpg',
  upper(md5('of ann')::uuid::text) || '/a.jpg', 'x' || md5('of ann')::uuid || '/a.jpg', md5('unknown')::uuid || '/a.jpg'
]) name;

select is_empty(
  format(
    $$select policyname from pg_policies where schemaname = 'storage' and cmd = %L and coalesce(with_check, qual) like '%%text-media%%'$$,
    command),
  format('nobody may %s a file', command))
from unnest(array['UPDATE', 'DELETE']) command;

select ok(not public, 'the bucket is private') from storage.buckets where id = 'text-media';
select is(file_size_limit::integer, 5 * 1024 * 1024, 'a file has at most 5 MiB, as Twilio takes it')
from storage.buckets where id = 'text-media';
select is(
  (select array_agg(type order by type) from unnest(allowed_mime_types) type),
  array['application/pdf', 'audio/amr', 'audio/mpeg', 'image/gif', 'image/heic', 'image/jpeg', 'image/png', 'image/webp',
    'text/vcard', 'video/3gpp', 'video/mp4'],
  'the bucket takes what phones show and make: no web page, no image that may hold a script')
from storage.buckets where id = 'text-media';

select * from finish();
rollback;
