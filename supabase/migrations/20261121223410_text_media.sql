set local check_function_bodies = off;

create or replace function private.conversation_of_file (
  name text
)
  returns uuid
  language plpgsql
  immutable
  set search_path to ''
  AS $function$
begin
  return case
    when name ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/[^/]+$' then left(name, 36)::uuid
  end;
end
$function$;

comment on function "private"."conversation_of_file"(text) is 'The conversation that a file in the bucket `text-media` belongs to, by its name; null for a name of another form.';

revoke all on function "private"."conversation_of_file"(text) from public;

grant execute on function "private"."conversation_of_file"(text) to "authenticated", "postgres", "service_role";

-- Written by hand: the bucket and its policies, as in schemas/57_text_media.sql.
insert into storage.buckets as b (id, name, public, file_size_limit, allowed_mime_types)
values ('text-media', 'text-media', false, 5 * 1024 * 1024, array[
  'image/jpeg',
  'image/png',
  'image/gif',
  'application/pdf',
  'text/vcard',
  'video/mp4',
  'audio/mpeg'
])
on conflict (id) do update
set
  public = excluded.public,
  file_size_limit = excluded.file_size_limit,
  allowed_mime_types = excluded.allowed_mime_types;

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
  );

create policy "readers of a conversation open its files" on storage.objects
  for select to authenticated
  using (
    bucket_id = 'text-media'
    and exists (
      select from public.recruiting_conversations c where c.id = private.conversation_of_file(objects.name)
    )
  );
