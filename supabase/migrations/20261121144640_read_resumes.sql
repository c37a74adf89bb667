-- Lets agents open the resumes of their recruits, and managers those of their agency.

create index recruiting_leads_resume_path_idx on public.recruiting_leads (resume_path)
  where resume_path is not null;

create policy "agents read their recruits' resumes, managers their agency's" on storage.objects
  for select to authenticated
  using (
    bucket_id = 'resumes'
    and exists (select from public.recruiting_leads l where l.resume_path = objects.name)
  );
