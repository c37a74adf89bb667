import { formatCsv } from "../../admin/formats/csv.ts";
import { call, supabase } from "./client.ts";
import { readRecruits, type Recruit, type RecruitFilter, stageOf } from "./recruits.ts";

const EXPORTED = ["first_name", "last_name", "phone", "email", "state", "stage", "agent", "created_at"] as const;
/** The number of recruits that are read at once. */
const EXPORT_PAGE = 500;

/**
 * The recruits of a list as CSV, which is noted with the user's name first. `onRead` gets how many are read so far.
 */
export async function exportRecruits(filter: RecruitFilter, onRead: (count: number) => void): Promise<Blob> {
  const rows: Recruit[] = [];
  for (let page: Recruit[]; (page = await readRecruits(filter, EXPORT_PAGE, rows.at(-1) ?? null, null)).length > 0;) {
    rows.push(...page);
    onRead(rows.length);
    if (page.length < EXPORT_PAGE) break;
  }
  await call(supabase.rpc("note_export", { recruits: rows.length }));
  const cells = rows.map((row) => ({
    ...row,
    stage: stageOf(row),
    agent: row.agents === null ? "" : [row.agents.first_name, row.agents.last_name].filter(Boolean).join(" "),
  }));
  const parts: string[] = [];
  for await (const part of formatCsv(EXPORTED, [cells])) parts.push(part);
  // With a mark of its encoding, which Excel needs.
  return new Blob(["\ufeff", ...parts], { type: "text/csv;charset=utf-8" });
}
