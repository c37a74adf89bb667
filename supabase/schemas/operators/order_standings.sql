-- Why an order of a manager's agency, or for operators of any, gets no leads, or fewer. explain_order() says more of one to
-- operators.

create function public.order_standings(of_all boolean default false) returns table (
  order_id uuid, standing text, behind jsonb, agency text, since timestamptz, agency_id uuid
)
language plpgsql
stable
security definer
set search_path = ''
-- As explain_order().
set statement_timeout = '6s'
as $$
declare
  -- Null: all are meant.
  own_agency constant uuid := case when not of_all then private.managed_agency_id() end;
  tried private.tried_order[];
  mine private.tried_order;
  higher public.recruiting_orders[];
  own public.recruiting_orders[];
  equals uuid[];
  foreigners uuid[];
begin
  if of_all then
    perform private.require_operator();
  elsif own_agency is null then
    return;
  end if;
  tried := array(select t from private.orders_tried() t where of_all or t.obstacle is null or (t.o).agency_id = own_agency);
  foreigners := array(select (t.o).id from unnest(tried) t where (t.o).agency_id <> own_agency);

  for mine in
    select t.* from unnest(tried) t where (of_all or (t.o).agency_id = own_agency) and (t.o).status = 'open'
  loop
    -- Those that go first for some lead that it wants, however full they are.
    higher := array(
      select t.o
      from unnest(tried) t
      where t.obstacle is null
        and t.place < mine.place
        and not private.take_turns(t.o, mine.o)
        and coalesce((t.o).vendor_id = (mine.o).vendor_id, true)
        and coalesce((t.o).states && (mine.o).states, true)
    );
    own := array(select h from unnest(higher) h where h.agency_id = own_agency);
    equals := array(
      select (t.o).id from unnest(tried) t where (t.o).id <> (mine.o).id and private.take_turns(t.o, mine.o));

    order_id := (mine.o).id;
    standing := case
      when mine.obstacle is not null
        then case when private.room_under_cap((mine.o).id, (mine.o).daily_cap, now()) <= 0 then 'capped' end
      when exists (select from public.vendors v where v.id = (mine.o).vendor_id and not v.is_active) then 'vendor_inactive'
      when private.next_agent((mine.o).agency_id, (mine.o).agent_id) is null then 'no_agent'
      when own <> '{}' and not private.is_best_for_some(mine.o, own, equals || foreigners) then 'behind'
      when higher <> '{}' and not private.is_best_for_some(mine.o, higher, equals) then 'others'
      when own <> '{}' then 'partly'
    end;
    behind := (
      select coalesce(jsonb_agg(jsonb_build_object(
        'id', a.id, 'vendor', private.vendor_name(a.vendor_id), 'states', a.states) order by a.ordinality), '[]')
      from unnest(own) with ordinality a
      where standing in ('behind', 'partly')
    );
    if standing is not null then
      agency := mine.agency;
      agency_id := (mine.o).agency_id;
      since := coalesce(
        (
          select max(l.distributed_at)
          from public.recruiting_leads l
          where l.agency_id = (mine.o).agency_id and l.order_id = (mine.o).id
        ),
        greatest((mine.o).created_at, (mine.o).starts_at));
      return next;
    end if;
  end loop;
end
$$;

comment on function public.order_standings(boolean) is
  'The open orders of a manager''s agency that get no leads now, or fewer, and why: standing is capped (it has its leads of today), '
  'vendor_inactive, no_agent (none of the agency is active, not away and accepts recruits), behind (own orders of a higher priority '
  'take all that it wants), others (with orders of other agencies they do), or partly (own orders take some of it first). behind: '
  'those own orders, the first one first, for behind and partly: [{id, vendor|null, states|null}]. since: when it got its last lead, else when it began. Of other agencies it says nothing '
  'else. No rows for anyone but a manager. of_all: those of all agencies, for operators, with others for any orders that take '
  'all that it wants; 42501 for a user who is not an operator. Security definer because managers may not read the orders of '
  'other agencies.';
grant execute on function public.order_standings(boolean) to authenticated;
