import type { AdminCommand } from "../command.ts";
import { inOptions } from "../errors.ts";
import { readPhone, readServicePhone } from "../lookup.ts";
import { LIMIT, text } from "../options.ts";
import { list, listFirst, type Outcome, type Session } from "../session.ts";
import { addTextOutbox } from "./text_outbox.ts";
import { addTextReconcile } from "./text_reconcile.ts";
import { addTextSend } from "./text_send.ts";
import { addTextTemplates } from "./text_templates.ts";

const TO = text("--to <number>", "only the texts to this number of ours");

export function addText(program: AdminCommand): void {
  const noun = program.noun("text", "text messages of recruits, and the webhooks of Twilio");
  const unmatched = "texts that belong to no conversation yet, the newest first";
  noun.verb("unmatched", unmatched, "--limit 20").takes(LIMIT).runs(listUnmatched);
  const adopt = "makes the conversation for unmatched texts, with the recruit's newest lead";
  noun.verb("adopt <phone>", adopt, "+13125550163 --to +13125550100")
    .takes(TO)
    .runs(adoptTexts);
  addTextOutbox(noun);
  addTextReconcile(noun);
  addTextTemplates(noun);
  addTextSend(noun);
}

async function listUnmatched({ sql }: Session, { limit }: { limit: number }): Promise<Outcome> {
  const texts = sql`
    select t.id, t.received_at, t.recruit_phone as "from", t.service_phone as "to", t.body,
      jsonb_array_length(t.media) as media, t.message_sid
    from public.unmatched_texts t
    order by t.received_at desc, t.id`;
  return await listFirst(sql, limit, texts, "Every text belongs to a conversation.");
}

/** What adopt_texts() has made. */
interface Adopted {
  conversation_id: string;
  service_phone: string;
  lead_id: string;
  agency_id: string;
  agent_id: string | null;
  texts: number;
}

async function adoptTexts(
  { sql }: Session,
  given: string,
  { to }: { to?: string },
): Promise<Outcome> {
  const phone = readPhone(given);
  const number = to === undefined ? null : readServicePhone(to);
  const [{ adopted }] = await inOptions(
    sql<[{ adopted: Adopted[] }]>`select public.adopt_texts(${phone}, ${number}) as adopted`,
  );
  return list(adopted, "");
}
