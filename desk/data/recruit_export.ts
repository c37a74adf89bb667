import { formatCsv } from "../../admin/formats/csv.ts";
import { call, supabase } from "./client.ts";
import { readRecruits, type Recruit, type RecruitFilter } from "./recruits.ts";

const EXPORTED = [
  "first_name",
  "last_name",
  "phone",
  "email",
  "state",
  "vendor",
  "stage",
  "agent",
  "created_at",
] as const;
/** The number of recruits that are read at once. */
const EXPORT_PAGE = 500;

/** Reads all recruits of a list. `onRead` gets how many are read so far. */
export async function readAllRecruits(filter: RecruitFilter, onRead: (count: number) => void): Promise<Recruit[]> {
  const rows: Recruit[] = [];
  for (let page: Recruit[]; (page = await readRecruits(filter, EXPORT_PAGE, rows.at(-1) ?? null, null)).length > 0;) {
    rows.push(...page);
    onRead(rows.length);
    if (page.length < EXPORT_PAGE) break;
  }
  return rows;
}

/** Recruits as CSV, which is noted with the user's name first. */
export async function exportRecruits(rows: Recruit[]): Promise<Blob> {
  await call(supabase.rpc("note_export", { recruits: rows.length }));
  const parts: string[] = [];
  for await (const part of formatCsv(EXPORTED, [rows.map((row) => ({ ...row, agent: row.agent ?? "" }))])) {
    parts.push(part);
  }
  // With a mark of its encoding, which Excel needs.
  return new Blob(["\ufeff", ...parts], { type: "text/csv;charset=utf-8" });
}
