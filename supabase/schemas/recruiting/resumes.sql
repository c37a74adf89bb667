-- The bucket for resumes is private. Only the service role writes to it.
-- A project may already have a bucket with this name. It then gets the same settings, because a public bucket would
-- publish the resumes. The function determines a file's type by its content; the bucket's own limits are the same types
-- and size.
insert into storage.buckets as b (id, name, public, file_size_limit, allowed_mime_types)
values ('resumes', 'resumes', false, 10 * 1024 * 1024, array[
  'application/pdf',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  'application/msword',
  'application/rtf',
  'application/vnd.oasis.opendocument.text',
  'text/plain'
])
on conflict (id) do update
set
  public = excluded.public,
  file_size_limit = excluded.file_size_limit,
  allowed_mime_types = excluded.allowed_mime_types;

-- A user who can read a lead can open its resume: the policies of recruiting_leads apply inside the subquery. Storage
-- requires nothing else when a signed-in user signs a URL, downloads or lists. A hosted project lets its owner create
-- policies on storage.objects, but not comment on them or change the table.
create policy "agents read their recruits' resumes, managers their agency's" on storage.objects
  for select to authenticated
  using (
    bucket_id = 'resumes'
    and exists (select from public.recruiting_leads l where l.resume_path = objects.name)
  );

-- Storage and the database share no transaction, and a request may die between the two. Each upload is therefore
-- recorded before it begins, until its lead is stored or its object is removed.

create function public.begin_resume_upload(lead_id uuid, path text) returns jsonb
language plpgsql
set search_path = ''
set statement_timeout = '2s'
as $$
begin
  insert into private.resume_uploads as u (lead_id, path)
  values (begin_resume_upload.lead_id, begin_resume_upload.path)
  on conflict do nothing;
  return jsonb_build_object('has_left_over', exists (
    select from private.resume_uploads u where u.begun_at < now() - private.resume_upload_time()
  ));
end
$$;

comment on function public.begin_resume_upload(uuid, text) is
  'Records that the resume of a lead is about to be uploaded to this path. Returns {has_left_over}: whether '
  'left_over_resumes() would return any. Repeated calls are harmless.';
grant execute on function public.begin_resume_upload(uuid, text) to service_role;

create function public.left_over_resumes() returns jsonb
language plpgsql
set search_path = ''
set statement_timeout = '4s'
as $$
declare
  upload private.resume_uploads;
  paths jsonb := '[]';
begin
  for upload in
    select u.*
    from private.resume_uploads u
    where u.begun_at < now() - private.resume_upload_time()
    order by u.begun_at
    limit 20
    for update skip locked
  loop
    -- A request that is still running, however slow, must not store the lead from now on.
    if public.abandon_recruiting_leads(array[upload.lead_id]) -> upload.lead_id::text = 'null' then
      update private.resume_uploads u set begun_at = now() where u.lead_id = upload.lead_id;
      paths := paths || to_jsonb(upload.path);
    else
      delete from private.resume_uploads u where u.lead_id = upload.lead_id;
    end if;
  end loop;
  return paths;
end
$$;

comment on function public.left_over_resumes() is
  'Returns the paths of up to 20 objects whose leads are not stored and never will be, for the caller to remove. No '
  'other caller gets them in the meantime. Call forget_resume_uploads() after removing them; otherwise they are '
  'returned again after 35 seconds.';
grant execute on function public.left_over_resumes() to service_role;

create function public.forget_resume_uploads(paths text[]) returns jsonb
language plpgsql
set search_path = ''
as $$
begin
  delete from private.resume_uploads u where u.path = any (paths);
  return null;
end
$$;

comment on function public.forget_resume_uploads(text[]) is
  'Deletes the records of these uploads, because their objects are removed. Returns null.';
grant execute on function public.forget_resume_uploads(text[]) to service_role;

create function private.end_resume_upload() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  delete from private.resume_uploads u where u.lead_id = new.id;
  return null;
end
$$;

comment on function private.end_resume_upload() is
  'Trigger: deletes the record of a resume''s upload, because its lead is stored.';

create trigger end_resume_upload
  after insert on public.recruiting_leads
  for each row when (new.resume_path is not null)
  execute function private.end_resume_upload();

create function private.resume_upload_time() returns interval
language sql
immutable
set search_path = ''
as $$
  select interval '35 seconds'
$$;

comment on function private.resume_upload_time() is
  'Returns the time after which a request has stored its lead or has died: an upload takes at most 20 s, and the lead '
  '8 s.';
