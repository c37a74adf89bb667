import assert from "node:assert/strict";
import type { Demographics, Referral, Sale, Submission, Submitted } from "../../desk/presentation/submission.ts";
import type { Database } from "../../supabase/functions/_shared/database.types.ts";
import { sql } from "../support/client.ts";

const DOCS = new URL("../../docs/", import.meta.url);
const page = Deno.readTextFileSync(new URL("frontend.md", DOCS));

// The types in the docs, held against the database's. A difference is a type error.

type Row<Table extends keyof Database["public"]["Tables"]> = Omit<
  Database["public"]["Tables"][Table]["Insert"],
  | ("id" | "lead_id" | "agent_id" | "presentation_id" | "position")
  | ("created_at" | "updated_at" | "payment_frequency")
>;
type WithoutFrequency<Type> = Omit<Type, "payment_frequency">;
type Same<A, B> = [A, B] extends [B, A] ? true : never;
type Arguments = Database["public"]["Functions"]["submit_lead_presentation"]["Args"];

const _same: {
  demographics: Same<Demographics, Row<"lead_demographics">>;
  sale: Same<WithoutFrequency<Sale>, Row<"lead_sales">>;
  referral: Same<Referral, Row<"lead_referrals">>;
  arguments: Same<keyof Submission, keyof Arguments>;
} = { demographics: true, sale: true, referral: true, arguments: true };

const result: Record<keyof Submitted, true> = {
  presentation_id: true,
  sale_id: true,
  referral_ids: true,
  duplicate: true,
};

Deno.test("the docs and the function's own comment name the same result and the same errors", async () => {
  const [row] = await sql`
    select obj_description(p.oid, 'pg_proc') as comment from pg_proc p
    where p.oid = 'public.submit_lead_presentation(uuid, jsonb, jsonb, jsonb, uuid)'::regprocedure`;
  const comment: string = row!.comment;
  const [, keys] = /Returns \{([^}]+)\}/.exec(comment)!;
  assert.deepEqual(keys!.split(", ").map((key) => key.split("|", 1)[0]!).sort(), Object.keys(result).sort());
  const documented = [
    ...sectionOf("Submitting a presentation").matchAll(/^\| `([0-9A-Z]{5})` +\| (\d{3})/gm),
  ];
  const commented = [...comment.matchAll(/\b([0-9A-Z]{5}) \((?:HTTP )?(\d{3})\)/g)];
  assert.deepEqual(
    documented.map(([, code, status]) => `${code} ${status}`),
    commented.map(([, code, status]) => `${code} ${status}`),
  );
});

Deno.test("the docs and the comment of send_text name the same errors", async () => {
  const [row] = await sql`
    select obj_description(p.oid, 'pg_proc') as comment from pg_proc p
    where p.oid = 'public.send_text(uuid, text, uuid, jsonb, boolean)'::regprocedure`;
  const commented: string[] = row!.comment.match(/\b(22023|42501|PT\d{3})\b/g);
  const documented = sectionOf("Texting with recruits").matchAll(/^\| `([0-9A-Z]{5})`/gm);
  assert.deepEqual(Array.from(documented, ([, code]) => code).sort(), [...new Set(commented)].sort());
});

/** A section of the page, by its heading. */
function sectionOf(heading: string): string {
  return page.split("\n## ").find((section) => section.startsWith(`${heading}\n`))!;
}
