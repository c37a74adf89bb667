set local check_function_bodies = off;

create or replace function private.claimed_text (
  claimed public.text_outbox,
  task text,
  validity_seconds integer default null::integer
)
  returns jsonb
  language plpgsql
  stable
  set search_path to ''
  AS $function$
begin
  return (
    select jsonb_build_object(
      'message_id', claimed.message_id,
      'task', claimed_text.task,
      'attempt', claimed.claim,
      'kind', claimed.kind,
      'to', c.recruit_phone,
      'from', c.service_phone,
      'messaging_service_sid', n.messaging_service_sid,
      'body', coalesce(m.body, ''),
      'media', m.media,
      'validity_seconds', claimed_text.validity_seconds,
      'attempted_at', claimed.attempted_at
    )
    from public.recruiting_messages m
    join public.recruiting_conversations c on c.id = m.conversation_id
    left join public.service_numbers n on n.phone = c.service_phone
    where m.id = claimed.message_id
  );
end
$function$;

create or replace function private.read_media (
  media jsonb,
  conversation_id uuid
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
declare
  max_items constant integer := 10;
  files constant jsonb := coalesce(nullif(media, 'null'), '[]');
  item jsonb;
  path text;
  url text;
  content_type text;
  result jsonb := '[]';
begin
  if jsonb_typeof(files) <> 'array' then
    perform private.invalid_field('media', 'must be an array');
  elsif jsonb_array_length(files) > max_items then
    perform private.invalid_field('media', format('must have at most %s items', max_items));
  end if;
  for item in select i from jsonb_array_elements(files) with ordinality e (i, n) order by n loop
    path := format('media[%s]', jsonb_array_length(result));
    perform private.require_fields(item, path, array['url', 'content_type']);
    url := private.text_field(item, path, 'url', is_required => true);
    -- A name that an address could read as a way to another folder must not get to the worker, who may sign any file.
    if url !~ '^https://[^[:space:]/]+(/[^[:space:]]*)?$'
      and url !~ format('^text-media/%s/(?!\.+$)[-A-Za-z0-9!_.*''()&$@=;:+,]{1,200}$', conversation_id)
    then
      perform private.invalid_field(
        path || '.url',
        'must begin with https://, or be text-media/<conversation_id>/<name> with a name of A-Z, a-z, 0-9 and '
          '!-_.*''()&$@=;:+,');
    elsif length(url) > 2000 then
      perform private.invalid_field(path || '.url', 'must have at most 2000 characters');
    end if;
    content_type := private.text_field(item, path, 'content_type', is_required => true);
    if length(content_type) > 255 then
      perform private.invalid_field(path || '.content_type', 'must have at most 255 characters');
    end if;
    result := result || jsonb_build_object('url', url, 'content_type', content_type);
  end loop;
  return result;
end
$function$;

comment on function "private"."read_media"(jsonb, uuid) is 'Reads and checks the media of a text: at most 10 of {url, content_type}. A url is https, or names an object of the conversation in the bucket text-media, by characters that stand for themselves in a URL.';
