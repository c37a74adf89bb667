import { createClient } from "@supabase/supabase-js";
import type postgres from "postgres";
import { ConfigurationError } from "../../supabase/functions/_shared/configuration.ts";
import {
  type TwilioAccount,
  twilioAccount,
} from "../../supabase/functions/texting/twilio_account.ts";
import {
  deleteMessage,
  listMessages,
  TwilioError,
} from "../../supabase/functions/texting/twilio_api.ts";
import { codeOf, CommandError } from "../errors.ts";
import type { Outcome, Session } from "../session.ts";

/** What `person_copies` returns. */
interface Copies {
  phones: string[];
  service_phones: string[];
  message_sids: string[];
  files: { bucket: string; name: string }[];
}

/** How many rows and files there are, by their kind. */
type Counts = Record<string, number>;

/** Something came while it was erased, or others held a lock: it is begun again. */
const BEGIN_AGAIN = ["PT409", "55P03", "40P01"];
const ATTEMPTS = 3;

/**
 * Erases a person: the copies at Twilio first, then the files, and in one transaction all that is in the database. What
 * fails leaves the database as it was, and what is deleted by then is not missed when it is repeated.
 */
export async function erasePerson(session: Session, contact: string): Promise<Outcome> {
  const { sql, confirm } = session;
  const account = accountFromEnvironment();
  const held = await sql<{ kind: string; count: number }[]>`
    select kind, count(*)::int as count from public.find_person(${contact})
    where not stays group by kind order by kind`;
  let copies = await copiesOf(sql, contact, account);
  const counts: Counts = Object.fromEntries(held.map(({ kind, count }) => [kind, count]));
  const atTwilio = account === undefined ? null : copies.message_sids.length;
  if (held.length === 0 && !atTwilio) {
    return {
      data: { erased: counts, provider_copies: atTwilio },
      text: `Nothing is held of ${contact} that could be erased.`,
    };
  }
  await confirm(
    `Erase ${contact} for good: ${describe(counts)}? ${describeTwilio(atTwilio)} ` +
      "See person find for what it is; consents stay.",
  );

  for (let attempt = 1;; attempt++) {
    const { message_sids, files } = copies;
    if (account !== undefined) await deleteTexts(session, account, message_sids);
    await deleteFiles(session, files);
    try {
      const [{ erased }] = await sql<[{ erased: Counts }]>`
        select public.erase_person(
          ${contact}, ${account === undefined ? null : message_sids}, ${files.length}
        ) as erased`;
      const provider_copies = account === undefined ? null : message_sids.length;
      return {
        data: { erased, provider_copies },
        text: `Erased ${describe(erased)}. ${describeTwilio(provider_copies)}`,
      };
    } catch (error) {
      if (attempt === ATTEMPTS || !BEGIN_AGAIN.includes(codeOf(error))) throw error;
      copies = await copiesOf(sql, contact, account);
    }
  }
}

/** What is held outside the tables. Where an account is set, also the texts that only Twilio knows of. */
async function copiesOf(
  sql: postgres.Sql,
  contact: string,
  account: TwilioAccount | undefined,
): Promise<Copies> {
  const [{ copies }] = await sql<[{ copies: Copies }]>`
    select public.person_copies(${contact}) as copies`;
  if (account === undefined) return copies;
  const sids = new Set(copies.message_sids);
  await atTwilio(async () => {
    for (const phone of copies.phones) {
      for (const filter of [{ from: phone }, { to: phone }]) {
        for await (const { sid, from, to } of listMessages(filter, account)) {
          const other = from === phone ? to : from;
          // The account may have other uses.
          if (other !== null && copies.service_phones.includes(other)) sids.add(sid);
        }
      }
    }
  });
  return { ...copies, message_sids: [...sids] };
}

function deleteTexts(
  { progress }: Session,
  account: TwilioAccount,
  sids: string[],
): Promise<void> {
  return atTwilio(async () => {
    for (const [i, sid] of sids.entries()) {
      progress(`${i} of ${sids.length} texts deleted at Twilio`);
      await deleteMessage(sid, account);
    }
  });
}

async function deleteFiles({ target }: Session, files: Copies["files"]): Promise<void> {
  if (files.length === 0) return;
  const { api } = target;
  if (api === undefined) {
    throw new CommandError(
      "Set SUPABASE_URL and SUPABASE_SECRET_KEY: the person has files in storage. " +
        "Nothing was erased in the database.",
    );
  }
  const { storage } = createClient(api.url, api.secretKey, {
    auth: { persistSession: false, autoRefreshToken: false },
  });
  for (const bucket of new Set(files.map(({ bucket }) => bucket))) {
    const names = files.filter((file) => file.bucket === bucket).map(({ name }) => name);
    const { error } = await storage.from(bucket).remove(names);
    if (error !== null) {
      throw new CommandError(
        `The storage at ${api.url} did not delete the files: ${error.message}. ` +
          "Nothing was erased in the database; run it again.",
      );
    }
  }
}

/** Undefined where the environment has no account. */
function accountFromEnvironment(): TwilioAccount | undefined {
  if (!Deno.env.get("TWILIO_ACCOUNT_SID")?.trim()) return undefined;
  try {
    return twilioAccount();
  } catch (error) {
    throw error instanceof ConfigurationError ? new CommandError(error.message) : error;
  }
}

async function atTwilio(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof TwilioError)) throw error;
    const hint = error.code === "20009" ? " A text is still on its way: wait some minutes." : "";
    throw new CommandError(
      `${error.message}.${hint} Nothing was erased in the database; run it again.`,
    );
  }
}

function describe(counts: Counts): string {
  const parts = Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([kind, count]) => `${count} ${kind.replace("_", " ")}${count === 1 ? "" : "s"}`);
  return parts.join(", ").replace("deliverys", "deliveries") || "nothing";
}

function describeTwilio(copies: number | null): string {
  return copies === null
    ? "Twilio's copies of the texts remain: TWILIO_ACCOUNT_SID is not set."
    : `Texts at Twilio: ${copies}.`;
}
