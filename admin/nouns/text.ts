import type postgres from "postgres";
import type { AdminCommand } from "../command.ts";
import { valueOf } from "../database.ts";
import { CSV, LIMIT, ONLY_AGENCY, PHONE, servicePhone, wrongCsv } from "../options.ts";
import { list, lists } from "../lists.ts";
import type { Outcome, Session } from "../session.ts";
import { addTextOutbox } from "./text_outbox.ts";
import { addTextReconcile } from "./text_reconcile.ts";
import { addTextSend } from "./text_send.ts";

export function addText(program: AdminCommand): void {
  const noun = program.noun("text", "text messages of recruits, and the webhooks of Twilio");
  const unmatched = "texts that belong to no conversation yet, the newest first";
  noun.verb("unmatched", unmatched, "--limit 20").takes(LIMIT).runs(lists("unmatched_text_list", {
    order: "received_at desc, id",
    none: "Every text belongs to a conversation.",
    isOfPersons: true,
    shown: ["id", "received_at", "from", "to", "body", "media", "message_sid", "recruit", "agency"],
  }));
  noun.verb("waiting", "recruits who wait for an answer, the longest first", '--agency "Lakeshore Insurance" --csv')
    .takes(ONLY_AGENCY, CSV)
    .refuses(wrongCsv)
    .runs(lists("waiting_recruit_list", {
      order: "since, conversation_id",
      none: "No recruit waits for an answer.",
      isOfPersons: true,
      shown: ["conversation_id", "agency", "agent", "recruit", "phone", "status", "since", "minutes"],
    }));
  const adopt = "makes the conversation for unmatched texts, with the recruit's newest lead";
  noun.verb("adopt", adopt, "+13125550163 --to +13125550100")
    .addArgument(PHONE)
    .takes(servicePhone("--to <number>", "only the texts to this number"))
    .runs(adoptTexts);
  addTextOutbox(noun);
  addTextReconcile(noun);

  const templates = "the greetings of the orders, with a preview and how many segments each is sent in";
  noun.verb("templates", templates, '--agency "Lakeshore Insurance"')
    .takes(ONLY_AGENCY)
    .reads(lists("greeting_list", {
      order: "agency, created_at, order_id",
      none: "No order greets its recruits: npm run admin -- order update <order> " +
        "--greeting-template <text>",
      shown: ["order_id", "agency", "status", "greets", "segments", "preview"],
    }));
  addTextSend(noun);
}

async function adoptTexts(
  { act }: Session,
  phone: string,
  { to = null }: { to?: string | null },
): Promise<Outcome> {
  const adopted = await act(
    (transaction) => valueOf<postgres.Row[]>(transaction`select public.adopt_texts(${phone}, ${to})`),
    (adopted) => ({
      conversation_ids: adopted.map(({ conversation_id }) => conversation_id),
      lead_ids: adopted.map(({ lead_id }) => lead_id),
    }),
  );
  return list(adopted, "");
}
