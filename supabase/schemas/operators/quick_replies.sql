-- What managers, for their own agency, and operators change of quick replies. agency_changes keeps it.

create function public.save_quick_reply(
  shortcut text,
  body text,
  quick_reply_id uuid default null,
  seen_at timestamptz default null,
  agency_id uuid default null
) returns jsonb
language plpgsql
security definer
set search_path = ''
as $$
declare
  max_length constant integer := 1600;
  agency constant public.agencies := case
    when quick_reply_id is null then private.lock_agency(coalesce(agency_id, private.managed_agency_id()), 'agency')
    else private.lock_agency((select q.agency_id from public.quick_replies q where q.id = quick_reply_id), 'quick_reply')
  end;
  given_shortcut constant text := lower(btrim(shortcut));
  unknown constant text := (
    select p.given[1]
    from regexp_matches(body, '\{[^{}]*\}', 'g') p (given)
    where p.given[1] not in ('{first_name}', '{agent}', '{agency}')
    limit 1
  );
  saved public.quick_replies;
begin
  if coalesce(given_shortcut, '') !~ '^[a-z0-9_-]{1,32}$' then
    perform private.invalid_field('shortcut', 'must have 1 to 32 letters from a to z, digits, - or _');
  elsif private.visible_text(coalesce(body, '')) !~ '[^ \n]' then
    perform private.invalid_field('body', 'must not be empty');
  elsif private.utf16_length(body) > max_length then
    perform private.invalid_field('body', format(
      'must have at most %s characters, counted in UTF-16 units (most emoji have 2 or more)', max_length));
  elsif unknown is not null then
    perform private.invalid_field('body', format(
      'there is no placeholder %s. Use {first_name}, {agent} or {agency}', left(unknown, 50)));
  elsif regexp_replace(body, '\{(first_name|agent|agency)\}', '', 'g') ~ '[{}]' then
    perform private.invalid_field('body', 'must have no other braces than those of {first_name}, {agent} and {agency}');
  end if;

  if quick_reply_id is null then
    insert into public.quick_replies as q (agency_id, shortcut, body)
    values (agency.id, given_shortcut, save_quick_reply.body)
    returning q.* into saved;
  else
    select q.* into saved
    from public.quick_replies q
    where q.id = quick_reply_id
    for update;
    if not found then
      raise exception 'quick_reply_id: there is no such quick reply' using errcode = 'PT404';
    elsif saved.updated_at <> seen_at then
      raise exception 'seen_at: somebody else has changed this quick reply meanwhile' using errcode = 'PT409';
    end if;
    update public.quick_replies q
    set shortcut = given_shortcut, body = save_quick_reply.body
    where q.id = saved.id
    returning q.* into saved;
  end if;
  perform private.note_operator_action(
    case when quick_reply_id is null then 'quick_reply create' else 'quick_reply update' end,
    jsonb_build_object('quick_reply_id', saved.id, 'agency_id', agency.id));
  return to_jsonb(saved) - 'agency_id';
exception when unique_violation then
  raise exception 'shortcut: another quick reply has it' using errcode = 'PT409';
end
$$;

comment on function public.save_quick_reply(text, text, uuid, timestamptz, uuid) is
  'Stores a quick reply: a new one of the agency, or with quick_reply_id a new shortcut and body of an existing one. A manager '
  'changes those of the own agency, an operator any. agency_id: of a new one; null: the manager''s own. shortcut: 1 to 32 '
  'letters from a to z, digits, - or _; stored in lower case. body: at most 1,600 UTF-16 units, with no placeholders other than '
  '{first_name}, {agent} and {agency}. seen_at: its updated_at as the caller has read it, in microseconds; null: the current '
  'state is not compared. agency_changes keeps it. Returns {id, shortcut, body, created_at, updated_at}. Errors: 22023 (HTTP '
  '400) names the field, and the placeholder; 42501 (403) for a user who is neither a manager nor an operator; PT404 for an '
  'unknown one, and another agency; PT409 if another one has the shortcut, or it was changed since seen_at. Security definer '
  'because users may not write the tables.';
grant execute on function public.save_quick_reply(text, text, uuid, timestamptz, uuid) to authenticated;

create function public.delete_quick_reply(quick_reply_id uuid) returns jsonb
language plpgsql
security definer
set search_path = ''
as $$
declare
  agency constant public.agencies := private.lock_agency(
    (select q.agency_id from public.quick_replies q where q.id = quick_reply_id), 'quick_reply');
begin
  delete from public.quick_replies q where q.id = quick_reply_id;
  if not found then
    raise exception 'quick_reply_id: there is no such quick reply' using errcode = 'PT404';
  end if;
  perform private.note_operator_action(
    'quick_reply remove', jsonb_build_object('quick_reply_id', quick_reply_id, 'agency_id', agency.id));
  return jsonb_build_object('id', quick_reply_id);
end
$$;

comment on function public.delete_quick_reply(uuid) is
  'Deletes a quick reply. A manager deletes those of the own agency, an operator any. agency_changes keeps it. Returns {id}. '
  'Errors: 42501 (HTTP 403) for a user who is neither a manager nor an operator; PT404 for an unknown one, also one that was '
  'deleted before. Security definer because users may not write the tables.';
grant execute on function public.delete_quick_reply(uuid) to authenticated;
