-- The bucket for resumes is private and has no policy on storage.objects: only the service role reads or writes it.
-- A project may have a bucket of this name already. It then gets the same settings, since a public one would publish
-- the resumes.
insert into storage.buckets as b (id, name, public, file_size_limit, allowed_mime_types)
values ('resumes', 'resumes', false, 10 * 1024 * 1024, array['application/pdf'])
on conflict (id) do update
set
  public = excluded.public,
  file_size_limit = excluded.file_size_limit,
  allowed_mime_types = excluded.allowed_mime_types;
