import type { Command } from "commander";
import type postgres from "postgres";
import { readServicePhone } from "../lookup.ts";
import { choice, integer, pastTime, text } from "../options.ts";
import type { Outcome, Run } from "../outcome.ts";
import { listed } from "../table.ts";
import { addNoun, addVerb } from "../verb.ts";
import { listOutbox, type OutboxFilter, retryText, SITUATIONS } from "./text_outbox.ts";
import { reconcileTexts } from "./text_reconcile.ts";
import { sendText, type TextToSend } from "./text_send.ts";
import { listTemplates } from "./text_templates.ts";

export function addText(parent: Command, run: Run): void {
  const noun = addNoun(parent, "text", "text messages of recruits, and the webhooks of Twilio");

  addVerb(
    noun,
    "unmatched",
    "texts that belong to no conversation yet, the newest first",
    "unmatched --limit 20",
  )
    .addOption(integer("--limit <number>", "how many at most", 1).default(50))
    .action(({ limit }: { limit: number }) => run(({ sql }) => listUnmatched(sql, limit)));

  addVerb(
    noun,
    "outbox",
    "texts of ours that are not sent or could not be delivered, and why, the newest first",
    "outbox --state held",
  )
    .addOption(
      text("--agency <agency>", "only this agency's; its id, the beginning of its id, or its name"),
    )
    .addOption(choice("--state <state>", "only these", SITUATIONS))
    .addOption(integer("--limit <number>", "how many at most", 1).default(50))
    .action((filter: OutboxFilter) => run(({ sql }) => listOutbox(sql, filter)));

  addVerb(
    noun,
    "retry <message>",
    "sends a text once more that has failed; by its id, or the first 8 characters of it",
    "retry 5f0c6a3e",
  )
    .addHelpText(
      "after",
      "\nNever one that Twilio has accepted, nor one to a recruit who has opted out.",
    )
    .action((given: string) => run((session) => retryText(session, given)));

  addVerb(
    noun,
    "reconcile",
    "asks Twilio for texts that never arrived and for unknown statuses, and stores them",
    "reconcile --since 2026-01-31T18:00Z",
  )
    .addOption(
      pastTime("--since <time>", "the first time of sending to ask for").makeOptionMandatory(),
    )
    .addOption(
      text("--number <phone>", "only texts from and to this number of ours, not the whole account"),
    )
    .addHelpText(
      "after",
      "\nTakes the account from TWILIO_ACCOUNT_SID, and TWILIO_API_KEY with TWILIO_API_SECRET, else" +
        "\nTWILIO_AUTH_TOKEN, in the environment. What is stored already stays as it is.",
    )
    .action(({ since, number }: { since: Date; number?: string }) => {
      const phone = number === undefined ? undefined : readServicePhone(number);
      return run((session) => reconcileTexts(session, { since, number: phone }));
    });

  addVerb(
    noun,
    "templates",
    "the greetings of the orders, with a preview and how many segments each is sent in",
    'templates --agency "Lakeshore Insurance"',
  )
    .addOption(
      text("--agency <agency>", "only this agency's; its id, the beginning of its id, or its name"),
    )
    .action(({ agency }: { agency?: string }) => run(({ sql }) => listTemplates(sql, agency)));

  addVerb(
    noun,
    "send",
    "calls a webhook as Twilio does, signed: with a text, or with --status for a delivery status",
    'send --from +13125550142 --to +13125550100 --body "Is the job still open?"',
  )
    .addOption(text("--from <number>", "From, the recruit's number"))
    .addOption(text("--to <number>", "To, the number of ours"))
    .option("--body <text>", "Body, the text", "")
    .addOption(text("--sid <MessageSid>", "the message's id at Twilio; a new one unless given"))
    .option("--media <url...>", "MediaUrl0 and so on: the pictures of the text")
    .addOption(text("--status <status>", "MessageStatus, such as delivered, of the message --sid"))
    .addOption(
      text("--url <base url>", "the functions' public address; the running stack unless given"),
    )
    .addHelpText(
      "after",
      "\nWith --url the environment's TWILIO_AUTH_TOKEN signs; for the running stack, its own token." +
        "\nThe same --sid is one message, however often it is sent.",
    )
    .action((message: TextToSend, command: Command) => {
      if (message.status !== undefined && message.sid === undefined) {
        command.error("--status: give the message it is about with --sid");
      }
      if (message.status === undefined && !(message.from && message.to)) {
        command.error("give the numbers with --from and --to");
      }
      return run(() => sendText(message));
    });
}

async function listUnmatched(sql: postgres.Sql, limit: number): Promise<Outcome> {
  const texts = await sql`
    select t.id, t.received_at, t.recruit_phone as "from", t.service_phone as "to", t.body,
      jsonb_array_length(t.media) as media, t.message_sid
    from public.unmatched_texts t
    order by t.received_at desc, t.id limit ${limit}`;
  const [{ total }] = await sql<[{ total: number }]>`
    select count(*)::int as total from public.unmatched_texts`;
  return { data: texts, text: listed(texts, total, "Every text belongs to a conversation.") };
}
