-- The scripts of an agency's bot.

create function private.store_bot_script(agency_id uuid, script jsonb) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  problems constant text[] := private.bot_script_problems(script);
  stored public.bot_scripts;
begin
  if problems <> '{}' then
    raise exception '%', (select string_agg(private.quoted(p.problem, 200), e'\n') from unnest(problems) p (problem))
      using errcode = 'invalid_parameter_value';
  end if;
  -- Of two at once, the second one counts on.
  perform from public.agencies a where a.id = store_bot_script.agency_id for no key update;
  insert into public.bot_scripts (agency_id, version, script)
  select
    store_bot_script.agency_id,
    coalesce((private.newest_bot_script(store_bot_script.agency_id)).version, 0) + 1,
    store_bot_script.script
  returning * into stored;
  return jsonb_build_object('id', stored.id, 'version', stored.version);
end
$$;

comment on function private.store_bot_script(uuid, jsonb) is
  'Stores a script as the newest of an agency, and returns {id, version}. 22023 with every problem, a line each: `<question id '
  'or member>: <problem>`.';

create function private.end_bot(agency_id uuid) returns integer
language plpgsql
set search_path = ''
as $$
declare
  stopped uuid[];
begin
  perform from public.agencies a where a.id = end_bot.agency_id for no key update;
  insert into public.bot_scripts (agency_id, version)
  select b.agency_id, b.version + 1
  from private.newest_bot_script(end_bot.agency_id) b
  where b.script is not null;

  -- In the order of the locks: the conversations, then what the bot has of them.
  stopped := array(
    select c.id
    from public.recruiting_conversations c
    where c.agency_id = end_bot.agency_id
      and (
        exists (select from public.bot_sessions s where s.conversation_id = c.id and s.state = 'active')
        or exists (select from public.bot_turns t where t.conversation_id = c.id)
      )
    order by c.id
    for no key update
  );
  perform private.stop_bot(s.id, 'switched_off') from unnest(stopped) as s (id);
  return cardinality(stopped);
end
$$;

comment on function private.end_bot(uuid) is
  'Ends all that the bot of an agency has begun, until the next script is published. Returns the number of conversations.';

create function private.newest_bot_script(agency_id uuid) returns public.bot_scripts
language plpgsql
stable
set search_path = ''
as $$
declare
  newest public.bot_scripts;
begin
  select b.* into newest
  from public.bot_scripts b
  where b.agency_id = newest_bot_script.agency_id
  order by b.version desc
  limit 1;
  return newest;
end
$$;

comment on function private.newest_bot_script(uuid) is
  'The script that an agency published last; `script` is null where the bot was switched off. Null where nothing was '
  'published.';
