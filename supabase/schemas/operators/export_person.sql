-- The copy of what is held of a person, for that person.

create function public.export_person(contact text) returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  person constant private.person := private.person_of(contact);
begin
  return jsonb_build_object(
    'phones', person.phones,
    'emails', person.emails,
    'recruiting_leads', (
      select coalesce(jsonb_agg(to_jsonb(l) || jsonb_build_object(
        'vendor', v.slug,
        'answers', (select jsonb_agg(a order by a.answered_at) from public.screening_answers a where a.lead_id = l.id),
        'notes', (
          select coalesce(jsonb_agg(n order by n.created_at), '[]')
          from public.recruit_notes n
          where n.recruiting_lead_id = l.id
        ),
        'stages', (
          select coalesce(jsonb_agg(s order by s.created_at), '[]')
          from public.recruit_stages s
          where s.recruiting_lead_id = l.id
        ),
        'calls', (
          select coalesce(jsonb_agg(c order by c.created_at), '[]')
          from public.recruit_calls c
          where c.recruiting_lead_id = l.id
        ),
        'conversation_changes', (
          select coalesce(jsonb_agg(jsonb_build_object(
            'at', h.created_at, 'status', h.status, 'from', concat_ws(' ', f.first_name, f.last_name),
            'to', concat_ws(' ', t.first_name, t.last_name)
          ) order by h.created_at), '[]')
          from public.conversation_assignments h
          left join public.agents f on f.id = h.from_agent_id
          left join public.agents t on t.id = h.to_agent_id
          where h.recruiting_lead_id = l.id
        ),
        'returned', (
          select jsonb_build_object('returned_at', r.created_at, 'reason', r.reason)
          from public.lead_returns r
          where r.recruiting_lead_id = l.id
        ),
        'dispatches', (
          select coalesce(jsonb_agg(to_jsonb(p) || jsonb_build_object('destination', d.name) order by p.seq), '[]')
          from private.dispatches p
          join public.destinations d on d.id = p.destination_id
          where p.lead_id = l.id
        ),
        'repeats', (
          select to_jsonb(r) - 'lead_id' from private.lead_repeats r where r.lead_id = l.id
        ),
        'refused_repeats', (
          select coalesce(jsonb_agg(jsonb_build_object('received_at', d.received_at, 'vendor', w.slug, 'reason', d.reason)
            order by d.received_at), '[]')
          from public.recruiting_lead_duplicates d
          join public.vendors w on w.id = d.vendor_id
          where d.lead_id = l.id and d.reason = 'same_person'
        ),
        'sent_again', (
          select coalesce(jsonb_agg(d.received_at order by d.received_at), '[]')
          from public.recruiting_lead_duplicates d
          where d.lead_id = l.id
        )
      ) order by l.created_at, l.id), '[]')
      from public.recruiting_leads l
      join public.vendors v on v.id = l.vendor_id
      where l.id = any (person.recruiting_leads)
    ),
    'leads', (
      select coalesce(jsonb_agg(to_jsonb(l) || jsonb_build_object(
        'metrics', (select to_jsonb(m) from public.lead_metrics m where m.lead_id = l.id),
        'demographics', (select to_jsonb(d) from public.lead_demographics d where d.lead_id = l.id),
        'activities', (select jsonb_agg(a order by a.occurred_at) from public.lead_activities a where a.lead_id = l.id),
        'presentations', (
          select jsonb_agg(p order by p.submitted_at) from public.lead_presentations p where p.lead_id = l.id
        ),
        'sales', (select jsonb_agg(s order by s.created_at) from public.lead_sales s where s.lead_id = l.id),
        'referrals', (
          select jsonb_agg(r order by r.created_at, r.position) from public.lead_referrals r where r.lead_id = l.id
        )
      ) order by l.created_at, l.id), '[]')
      from public.leads l
      where l.id = any (person.leads)
    ),
    'named_in_referrals', (
      select coalesce(jsonb_agg(r order by r.created_at), '[]')
      from public.lead_referrals r
      where r.id = any (person.referrals)
    ),
    'rejected_deliveries', (
      select coalesce(jsonb_agg(d order by d.received_at), '[]')
      from public.rejected_deliveries d
      where d.id = any (person.deliveries)
    ),
    'conversations', (
      select coalesce(jsonb_agg(to_jsonb(c) || jsonb_build_object(
        'messages', (
          select coalesce(jsonb_agg(to_jsonb(m) || jsonb_build_object('media_copies', (
            select coalesce(jsonb_agg(f order by f.position), '[]') from public.media_copies f where f.message_id = m.id
          )) order by m.created_at, m.id), '[]')
          from public.recruiting_messages m
          where m.conversation_id = c.id
        ),
        'bot_session', (select to_jsonb(b) from public.bot_sessions b where b.conversation_id = c.id)
      ) order by c.created_at), '[]')
      from public.recruiting_conversations c
      where c.id = any (person.conversations)
    ),
    'unmatched_texts', (
      select coalesce(jsonb_agg(t order by t.received_at), '[]')
      from public.unmatched_texts t
      where t.recruit_phone = any (person.phones)
    ),
    'text_consents', (
      select coalesce(jsonb_agg(c), '[]') from public.text_consents c where c.phone = any (person.phones)
    ),
    'text_consent_events', (
      select coalesce(jsonb_agg(e order by e.occurred_at), '[]')
      from public.text_consent_events e
      where e.phone = any (person.phones)
    ),
    'suppressions', (
      select coalesce(jsonb_agg(s order by s.kind, s.value), '[]') from private.person_suppressions(person) s
    ),
    'idempotency_keys', (
      select coalesce(jsonb_agg(k order by k.created_at), '[]')
      from private.idempotency_keys k
      where private.holds_contact(person, k.key)
    ),
    'files', (
      select coalesce(jsonb_agg(f order by f.bucket, f.name), '[]') from private.person_files(person) f
    )
  );
end
$$;

comment on function public.export_person(text) is
  'All data about the person with this phone in E.164 or e-mail address, as stored: {phones, emails, recruiting_leads with '
  'their answers, notes and dispatches, leads, named_in_referrals, rejected_deliveries, conversations with their messages and '
  'bot_session, unmatched_texts, text_consents, text_consent_events, suppressions, idempotency_keys, files: [{bucket, name, '
  'created_at}]}. Reads all leads. PT400 as find_person().';
grant execute on function public.export_person(text) to service_role;
