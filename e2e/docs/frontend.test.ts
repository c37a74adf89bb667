import assert from "node:assert/strict";
import type { Demographics, Referral, Sale, Submission, Submitted } from "../../desk/presentation/submission.ts";
import type { Database } from "../../supabase/functions/_shared/database.types.ts";
import { createAgentWithLead } from "../support/agents.ts";
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

const demographics: Required<Demographics> = {
  date_of_birth: "1958-03-14",
  marital_status: "widowed",
  spouse_name: "Leo",
  children: 2,
  occupation: "Teacher",
  employer: "City of Chicago",
  annual_income: 51_000.5,
  tobacco_user: false,
  beneficiary_name: "Mia",
  notes: "Call after five.",
};
const sale: Required<Sale> = {
  product: "Final expense",
  carrier: "Mutual",
  policy_number: "P-1",
  face_amount: 20_000,
  annual_premium: 612.5,
  payment_frequency: "monthly",
  effective_date: "2026-12-01",
};
const referral: Required<Referral> = {
  first_name: "Ola",
  phone: "312-555-0190",
  last_name: "Berg",
  email: "ola@example.com",
  relationship: "Neighbour",
  notes: "Knows us.",
};
const result: Record<keyof Submitted, true> = {
  presentation_id: true,
  sale_id: true,
  referral_ids: true,
  duplicate: true,
};

Deno.test("every field that docs/frontend.md documents is taken and stored", async () => {
  const { client, lead_id } = await createAgentWithLead();
  const submission: Submission = {
    lead_id,
    demographics,
    sale,
    referrals: [referral],
    client_submission_id: crypto.randomUUID(),
  };
  const { data, error } = await client.rpc("submit_lead_presentation", submission);
  assert.equal(error, null);
  assert.deepEqual(Object.keys(data).sort(), Object.keys(result).sort());
  for (
    const [table, expected] of [
      ["lead_demographics", demographics],
      ["lead_sales", sale],
      ["lead_referrals", referral],
    ] as const
  ) {
    const { data: [stored] } = await client.from(table).select("*").throwOnError();
    assert.partialDeepStrictEqual(stored, expected);
  }
});

const frequencies: Sale["payment_frequency"][] = ["monthly", "quarterly", "semiannual", "annual"];
Deno.test("each payment_frequency is taken, or none", async () => {
  const { client, lead_id } = await createAgentWithLead();
  for (const payment_frequency of [...frequencies, null]) {
    const submission = { lead_id, demographics: null, sale: { ...sale, payment_frequency } };
    const { error } = await client.rpc("submit_lead_presentation", submission);
    assert.equal(error, null);
  }
});

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
