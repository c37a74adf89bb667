-- The search of conversations: by a recruit's name, e-mail address and number, and by words of the texts.

create extension if not exists pg_trgm with schema extensions;

-- Texts that hold three letters in a row: the search of an agency need not read all its texts.
create index recruiting_messages_words_idx on public.recruiting_messages using gin (body extensions.gin_trgm_ops);

create function private.like_pattern(words text) returns text
language sql
immutable
set search_path = ''
as $$
  select '%' || regexp_replace(words, '([\\%_])', '\\\1', 'g') || '%'
$$;

comment on function private.like_pattern(text) is 'The pattern of LIKE for what holds these characters, whatever they are.';
grant execute on function private.like_pattern(text) to authenticated;

create function private.conversations_with_words(agency_id uuid, words text) returns uuid[]
language plpgsql
stable
security definer
set search_path = ''
-- How often the words occur decides the plan.
set plan_cache_mode = force_custom_plan
as $$
begin
  if length(words) < 3 or agency_id is distinct from private.current_agency_id() then
    return '{}';
  end if;
  return array(
    select distinct m.conversation_id
    from public.recruiting_messages m
    join public.recruiting_conversations c on c.id = m.conversation_id
    where c.agency_id = conversations_with_words.agency_id
      and m.body ilike private.like_pattern(words)
      and m.created_at > now() - interval '90 days'
  );
end
$$;

comment on function private.conversations_with_words(uuid, text) is
  'The ids of the conversations of the caller''s agency with a text of 90 days that has these words in a row. None for less '
  'than three characters, and for another agency. Security definer because under the policies no index could find the words. '
  'It returns ids to search_inbox(), which reads the conversations under the policies.';
grant execute on function private.conversations_with_words(uuid, text) to authenticated;

create function public.search_inbox(agency_id uuid, typed text) returns setof public.inbox
language plpgsql
stable
set search_path = ''
as $$
declare
  sought constant text := btrim(typed);
  digits constant text := regexp_replace(sought, '[\s().+-]', '', 'g');
  is_phone constant boolean := digits ~ '^[0-9]{3,}$';
  patterns constant text[] := array(
    select private.like_pattern(word) from regexp_split_to_table(sought, '\s+') word where word <> '');
  with_words constant uuid[] := private.conversations_with_words(agency_id, sought);
begin
  return query
  select i.*
  from public.inbox i
  where i.agency_id = search_inbox.agency_id
    and cardinality(patterns) > 0
    and (
      is_phone and i.recruit_phone like '%' || digits || '%'
      or concat_ws(' ', i.name, i.email) ilike all (patterns)
      or i.id = any (with_words)
    );
end
$$;

comment on function public.search_inbox(uuid, text) is
  'The rows of inbox, as the caller reads it, of one agency, for what the caller has typed: each word is part of the name or '
  'the e-mail address; or it is part of the number, from three digits on; or a text of the last 90 days has the words in a '
  'row, from three characters on. An empty search finds nothing. Ask for pages as of inbox.';
grant execute on function public.search_inbox(uuid, text) to authenticated;
