-- Private, and without a policy on storage.objects: only the service role reads or writes resumes.
insert into storage.buckets (id, name, public, file_size_limit, allowed_mime_types)
values ('resumes', 'resumes', false, 10 * 1024 * 1024, array['application/pdf']);
