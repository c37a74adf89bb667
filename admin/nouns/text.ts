import type { AdminCommand } from "../command.ts";
import { LIMIT } from "../options.ts";
import { listFirst, type Outcome, type Session } from "../session.ts";
import { addTextOutbox } from "./text_outbox.ts";
import { addTextReconcile } from "./text_reconcile.ts";
import { addTextSend } from "./text_send.ts";
import { addTextTemplates } from "./text_templates.ts";

export function addText(program: AdminCommand): void {
  const text = program.noun("text", "text messages of recruits, and the webhooks of Twilio");
  const unmatched = "texts that belong to no conversation yet, the newest first";
  text.verb("unmatched", unmatched, "--limit 20").takes(LIMIT).runs(listUnmatched);
  addTextOutbox(text);
  addTextReconcile(text);
  addTextTemplates(text);
  addTextSend(text);
}

async function listUnmatched({ sql }: Session, { limit }: { limit: number }): Promise<Outcome> {
  const texts = sql`
    select t.id, t.received_at, t.recruit_phone as "from", t.service_phone as "to", t.body,
      jsonb_array_length(t.media) as media, t.message_sid
    from public.unmatched_texts t
    order by t.received_at desc, t.id`;
  return await listFirst(sql, limit, texts, "Every text belongs to a conversation.");
}
