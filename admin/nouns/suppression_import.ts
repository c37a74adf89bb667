import { basename } from "node:path";
import { toE164 } from "../../supabase/functions/_shared/phone.ts";
import { type CsvRow, readCsv } from "../csv_file.ts";
import { valueOf } from "../database.ts";
import { CommandError } from "../errors.ts";
import type { Outcome, Session } from "../session.ts";

interface Suppression {
  contact: string;
  reason: string;
  ends_at: string | null;
}

/** The result of `private.suppress()`. */
interface Counts {
  added: number;
  extended: number;
  unchanged: number;
}

const AT_ONCE = 10_000;
const SHOWN = 20;

/** Suppresses the people of a CSV file, in one transaction. Rows that are wrong are named and left out. */
export async function importSuppressions(
  { act, progress }: Session,
  file: string,
  { reason, ends, dryRun = false }: { reason: string; ends?: Date; dryRun?: boolean },
): Promise<Outcome> {
  const { columns, rows } = readCsv(file);
  if (!columns.includes("phone") && !columns.includes("email")) {
    throw new CommandError(`${file}: the first line must name a column "phone" or "email"`);
  }
  const defaults = { reason, ends_at: ends?.toISOString() ?? null };
  const refused: { line: number; reason: string }[] = [];
  const suppressions: Suppression[] = [];
  for (const row of rows) {
    const read = readRow(row, defaults);
    if (typeof read === "string") refused.push({ line: row.line, reason: read });
    else suppressions.push(...read);
  }
  // In one order, so that two imports never wait for each other in a circle.
  suppressions.sort((one, other) => one.contact < other.contact ? -1 : 1);

  const counts = await act(
    async (transaction) => {
      const total: Counts = { added: 0, extended: 0, unchanged: 0 };
      for (let i = 0; i < suppressions.length; i += AT_ONCE) {
        progress(`${i} of ${suppressions.length} contacts`);
        const part = suppressions.slice(i, i + AT_ONCE);
        const stored = await valueOf<Counts>(
          transaction`select private.suppress(${transaction.json(part as never)}, ${basename(file).slice(0, 255)})`,
        );
        total.added += stored.added;
        total.extended += stored.extended;
        total.unchanged += stored.unchanged;
      }
      return total;
    },
    (total) => total.added + total.extended > 0 ? { count: total.added + total.extended } : null,
    dryRun,
  );

  const { added, extended, unchanged } = counts;
  const lines = refused.slice(0, SHOWN).map(({ line, reason }) => `line ${line}: ${reason}`);
  if (refused.length > SHOWN) lines.push(`and ${refused.length - SHOWN} more: see --json`);
  const done = `${dryRun ? "Dry run: nothing was changed. " : ""}${rows.length} rows: ${added} contacts added, ` +
    `${extended} extended, ${unchanged} known already; ${refused.length} rows refused.`;
  return {
    data: { dry_run: dryRun, rows: rows.length, ...counts, refused },
    text: [done, ...lines].join("\n"),
    failed: refused.length > 0,
  };
}

/** The suppressions of a row, or what is wrong with it. */
function readRow({ values, error }: CsvRow, defaults: Omit<Suppression, "contact">): Suppression[] | string {
  if (error !== undefined) return error;
  const { phone, email, reason = defaults.reason, ends_at } = values;
  const contacts: string[] = [];
  if (phone !== undefined) {
    const number = toE164(phone);
    if (number === undefined) return `phone: "${phone}" is not a phone number`;
    contacts.push(number);
  }
  if (email !== undefined) {
    const address = email.toLowerCase();
    if (!/^[^\s@]+@[^\s@]+$/.test(address) || address.length > 320) return `email: "${email}" is not an e-mail address`;
    contacts.push(address);
  }
  if (contacts.length === 0) return "it has neither a phone nor an e-mail address";
  if (reason.length > 500) return "reason: it has more than 500 characters";
  const moment = ends_at === undefined ? undefined : Date.parse(ends_at);
  if (moment !== undefined && !(moment > Date.now())) return `ends_at: "${ends_at}" is not a time in the future`;
  const until = moment === undefined ? defaults.ends_at : new Date(moment).toISOString();
  return contacts.map((contact) => ({ contact, reason, ends_at: until }));
}
