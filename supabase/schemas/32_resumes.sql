-- The bucket for resumes is private. Only the service role writes to it.
-- A project may have a bucket of this name already. It then gets the same settings, since a public one would publish
-- the resumes. The function decides by a file's content; the same types and the same size are the bucket's own limits.
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

-- Whoever reads a lead opens its resume: the policies of recruiting_leads apply inside the subquery. Storage asks for
-- nothing else when a signed-in person signs a URL, downloads or lists.
-- A hosted project lets its owner make policies on storage.objects, but not comment on them or change the table.
create policy "agents read their recruits' resumes, managers their agency's" on storage.objects
  for select to authenticated
  using (
    bucket_id = 'resumes'
    and exists (select from public.recruiting_leads l where l.resume_path = objects.name)
  );
