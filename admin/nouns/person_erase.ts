import type postgres from "postgres";
import type { TwilioAccount } from "../../supabase/functions/worker/twilio/account.ts";
import { deleteMessage, listMessages } from "../../supabase/functions/worker/twilio/api.ts";
import { projectClient, valueOf } from "../database.ts";
import { codeOf, CommandError } from "../errors.ts";
import type { Outcome, Session, Subject } from "../session.ts";
import { accountFromEnvironment, atTwilio } from "../twilio.ts";

/** The result of `person_copies`. */
interface Copies {
  phones: string[];
  service_phones: string[];
  message_sids: string[];
  files: { bucket: string; name: string }[];
}

/** The number of rows and files, by their kind. */
type Counts = Record<string, number>;

const NEVER_AGAIN = " The person's numbers and addresses are suppressed, as hashes.";

const UNCHANGED = "Nothing was erased in the database; run it again.";

/** Something came while it was erased, or others held a lock: it is begun again. */
const BEGIN_AGAIN = ["PT409", "55P03", "40P01"];
const ATTEMPTS = 3;

/**
 * Erases a person: the copies at Twilio first, then the files, and in one transaction all that is in the database. What
 * fails leaves the database as it was, and what is deleted by then is not missed when it is repeated.
 */
export async function erasePerson(
  session: Session,
  contact: string,
  { neverAgain = false }: { neverAgain?: boolean },
): Promise<Outcome> {
  const { sql, confirm, act } = session;
  const isSet = Boolean(Deno.env.get("TWILIO_ACCOUNT_SID")?.trim());
  const account = isSet ? accountFromEnvironment() : undefined;
  const held = await sql<{ kind: string; count: number }[]>`
    select kind, count(*)::int as count from public.find_person(${contact})
    where not stays group by kind order by kind`;
  let copies = await copiesOf(sql, contact, account);
  const counts: Counts = Object.fromEntries(held.map(({ kind, count }) => [kind, count]));
  const atTwilio = account === undefined ? null : copies.message_sids.length;
  if (held.length === 0 && !atTwilio && !neverAgain) {
    return {
      data: { erased: counts, provider_copies: atTwilio },
      text: `Nothing is held of ${contact} that could be erased.`,
    };
  }
  await confirm(
    `Erase ${contact} for good: ${describe(counts)}? ${describeTwilio(atTwilio)} ` +
      `See person find for what it is; consents stay.${neverAgain ? NEVER_AGAIN : ""}`,
  );

  for (let attempt = 1;; attempt++) {
    const { message_sids, files } = copies;
    if (account !== undefined) await deleteTexts(session, account, message_sids);
    await deleteFiles(session, files);
    try {
      const sids = account === undefined ? null : message_sids;
      const subject = await subjectOf(sql, contact);
      const erased = await act(
        (transaction) =>
          valueOf<Counts>(transaction`select public.erase_person(${contact}, ${sids}, ${files.length}, ${neverAgain})`),
        subject,
      );
      const provider_copies = sids?.length ?? null;
      return {
        data: { erased, provider_copies },
        text: `Erased ${describe(erased)}. ${describeTwilio(provider_copies)}${neverAgain ? NEVER_AGAIN : ""}`,
      };
    } catch (error) {
      if (attempt === ATTEMPTS || !BEGIN_AGAIN.includes(codeOf(error))) throw error;
      copies = await copiesOf(sql, contact, account);
    }
  }
}

/** What is stored of an action on a person: the leads, and by what the person was named, but not that itself. */
export async function subjectOf(sql: postgres.Sql, contact: string): Promise<Subject> {
  const leads = await sql<{ id: string }[]>`
    select id from public.find_person(${contact}) where kind in ('recruiting_lead', 'lead') order by id`;
  return { by: kindOf(contact), lead_ids: leads.map(({ id }) => id) };
}

/** Whether a person is named by an e-mail address or a phone. */
export function kindOf(contact: string): "email" | "phone" {
  return contact.includes("@") ? "email" : "phone";
}

/** The copies outside the tables. Where an account is set, also the texts that only Twilio knows of. */
async function copiesOf(
  sql: postgres.Sql,
  contact: string,
  account: TwilioAccount | undefined,
): Promise<Copies> {
  const copies = await valueOf<Copies>(sql`select public.person_copies(${contact})`);
  if (account === undefined) return copies;
  const sids = new Set(copies.message_sids);
  await atTwilio(UNCHANGED, async () => {
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
  return atTwilio(UNCHANGED, async () => {
    for (const [i, sid] of sids.entries()) {
      progress(`${i} of ${sids.length} texts deleted at Twilio`);
      await deleteMessage(sid, account);
    }
  });
}

async function deleteFiles({ api: projectApi }: Session, files: Copies["files"]): Promise<void> {
  if (files.length === 0) return;
  const api = projectApi(`the person has files in storage. ${UNCHANGED}`);
  const { storage } = projectClient(api);
  for (const bucket of new Set(files.map(({ bucket }) => bucket))) {
    const names = files.filter((file) => file.bucket === bucket).map(({ name }) => name);
    const { error } = await storage.from(bucket).remove(names);
    if (error !== null) {
      throw new CommandError(
        `The storage at ${api.url} did not delete the files: ${error.message}. ${UNCHANGED}`,
      );
    }
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
