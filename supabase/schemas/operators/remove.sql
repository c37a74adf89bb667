-- Removal of rows that were never used: an agency, an agent or a vendor that was made by mistake.

create function public.remove_agency(agency_id uuid) returns void
language plpgsql
set search_path = ''
as $$
begin
  perform private.remove_unused('public.agencies', agency_id);
end
$$;

comment on function public.remove_agency(uuid) is
  'Removes an agency to which nothing refers, not even an agent. PT404 for an unknown one; PT409 names what it has.';
grant execute on function public.remove_agency(uuid) to service_role;

create function public.remove_agent(agent_id uuid) returns void
language plpgsql
set search_path = ''
as $$
declare
  agent public.agents;
begin
  select a.* into agent from public.agents a where a.id = agent_id for update;
  if agent.user_id is not null then
    raise exception 'it has a login' using errcode = 'PT409';
  end if;
  perform private.remove_unused('public.agents', agent_id);
end
$$;

comment on function public.remove_agent(uuid) is
  'Removes an agent without a login to whom nothing refers. PT404 for an unknown one; PT409 names what the agent has.';
grant execute on function public.remove_agent(uuid) to service_role;

create function public.remove_vendor(vendor_id uuid) returns void
language plpgsql
set search_path = ''
as $$
begin
  -- Before the vendor is locked, as a request does: it notes the use of its key and then stores a lead.
  delete from public.vendor_api_keys k where k.vendor_id = remove_vendor.vendor_id and k.last_used_at is null;
  delete from private.vendor_webhook_secrets s where s.vendor_id = remove_vendor.vendor_id;
  -- Strangers make these.
  delete from private.refused_proofs p where p.vendor_id = remove_vendor.vendor_id;
  perform private.remove_unused('public.vendors', vendor_id);
end
$$;

comment on function public.remove_vendor(uuid) is
  'Removes a vendor that has never sent anything, with its unused keys and its webhook''s secrets. PT404 for an unknown '
  'one; PT409 names what it has, such as a key that was used.';
grant execute on function public.remove_vendor(uuid) to service_role;

create function private.remove_unused(holder regclass, holder_id uuid) returns void
language plpgsql
set search_path = ''
as $$
declare
  is_there boolean;
  referring record;
  uses text[] := '{}';
  n bigint;
begin
  -- A transaction that stores a row that refers to it waits for this lock by the foreign key. So what is counted now is
  -- all there is.
  execute format('select true from %s where id = $1 for update', holder) into is_there using holder_id;
  if is_there is null then
    raise exception 'there is no such one' using errcode = 'PT404';
  end if;

  for referring in
    select distinct k.conrelid::regclass as name, c.attname as "column", r.relname as word
    from pg_catalog.pg_constraint k
    join pg_catalog.pg_class r on r.oid = k.conrelid
    join pg_catalog.pg_attribute id on id.attrelid = k.confrelid and id.attname = 'id'
    join pg_catalog.pg_attribute c
      on c.attrelid = k.conrelid and c.attnum = k.conkey[array_position(k.confkey, id.attnum)]
    -- The counts of a monitor and the history of settings say nothing that the rows do not.
    where k.contype = 'f' and k.confrelid = holder and r.relname <> 'metric_days'
      and not (r.relname = 'agency_changes' and c.attname = 'agency_id')
    order by r.relname
  loop
    execute format('select count(*) from %s where %I = $1', referring.name, referring."column") into n using holder_id;
    if n > 0 then
      uses := uses || format('%s (%s)', replace(referring.word, '_', ' '), n);
    end if;
  end loop;
  if uses <> '{}' then
    raise exception 'it has %', private.quoted(array_to_string(uses, ', '), 1000) using errcode = 'PT409';
  end if;
  execute format('delete from %s where id = $1', holder) using holder_id;
end
$$;

comment on function private.remove_unused(regclass, uuid) is
  'Removes the row of this table with this id, if no row refers to it. PT404 if there is none; PT409 names the referring '
  'tables with their numbers of rows, including rows that would be deleted with it.';
