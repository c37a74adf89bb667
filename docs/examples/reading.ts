import { supabase } from "./supabase.ts";

/** Sales leads, the newest hundred. */
export async function readLeads() {
  const { data } = await supabase.from("leads")
    .select(
      "id, agent_id, first_name, last_name, phone, state, type, stage, lead_metrics(presentations_submitted)",
    )
    .order("created_at", { ascending: false })
    .range(0, 99)
    .throwOnError();
  return data;
}

/** Recruits, the newest hundred. */
export async function readRecruits() {
  const { data } = await supabase.from("recruiting_leads")
    .select("id, first_name, last_name, phone, email, state, resume_path")
    .order("created_at", { ascending: false })
    .range(0, 99)
    .throwOnError();
  return data;
}

/** Text conversations, the latest first, each with its latest ten messages. */
export async function readConversations() {
  const { data } = await supabase.from("recruiting_conversations")
    .select(
      "id, recruit_phone, status, last_message_at, recruiting_messages(id, direction, body, status, created_at)",
    )
    .order("last_message_at", { ascending: false, nullsFirst: false })
    .order("created_at", { referencedTable: "recruiting_messages", ascending: false })
    .limit(10, { referencedTable: "recruiting_messages" })
    .range(0, 99)
    .throwOnError();
  return data;
}

/** The agents of the own agency. */
export async function readAgents() {
  const { data } = await supabase.from("agents")
    .select("id, first_name, last_name, role, is_active")
    .order("last_name")
    .throwOnError();
  return data;
}
