-- The bucket for the files of texts: <conversation id>/<name>. It is private. Twilio gets a file of an agent's text by
-- a URL that is signed for a day; one of a recruit's text is the worker's copy. Size and types are those that Twilio
-- takes and that phones show and make.
insert into storage.buckets as b (id, name, public, file_size_limit, allowed_mime_types)
values ('text-media', 'text-media', false, 5 * 1024 * 1024, array[
  'image/jpeg',
  'image/png',
  'image/gif',
  'image/webp',
  'image/heic',
  'application/pdf',
  'text/vcard',
  'video/mp4',
  'video/3gpp',
  'audio/mpeg',
  'audio/amr'
])
on conflict (id) do update
set
  public = excluded.public,
  file_size_limit = excluded.file_size_limit,
  allowed_mime_types = excluded.allowed_mime_types;

create function private.conversation_of_file(name text) returns uuid
language plpgsql
immutable
set search_path = ''
as $$
begin
  return case
    when name ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/[^/]+$' then left(name, 36)::uuid
  end;
end
$$;

comment on function private.conversation_of_file(text) is
  'The conversation that a file in the bucket `text-media` belongs to, by its name; null for a name of another form.';
grant execute on function private.conversation_of_file(text) to authenticated;

-- The policies of recruiting_conversations apply inside the subqueries. A recruit's agent reads a conversation that
-- another agent has, but only that agent and managers write in it. A file is never replaced: its text may be on its
-- way.
create policy "writers of a conversation add files to it" on storage.objects
  for insert to authenticated
  with check (
    bucket_id = 'text-media'
    and exists (
      select
      from public.recruiting_conversations c
      where c.id = private.conversation_of_file(objects.name)
        and (
          c.assigned_agent_id is null
          or c.assigned_agent_id = (select private.current_agent_id())
          or c.agency_id = (select private.managed_agency_id())
        )
    )
    and private.may_add_file(private.conversation_of_file(name))
  );

create policy "readers of a conversation open its files" on storage.objects
  for select to authenticated
  using (
    bucket_id = 'text-media'
    and exists (
      select from public.recruiting_conversations c where c.id = private.conversation_of_file(objects.name)
    )
  );
