create policy "an agent reads its conversations, a manager its agency's" on public.recruiting_conversations
  for select to authenticated
  using (
    assigned_agent_id = (select private.current_agent_id())
    or agency_id = (select private.managed_agency_id())
    or exists (
      select
      from public.recruiting_leads l
      where l.id = recruiting_conversations.recruiting_lead_id
        and l.agent_id = (select private.current_agent_id())
    )
  );

create policy "whoever reads the conversation" on public.recruiting_messages
  for select to authenticated
  using (
    exists (
      select from public.recruiting_conversations c where c.id = recruiting_messages.conversation_id
    )
  );
