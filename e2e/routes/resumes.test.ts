import assert from "node:assert/strict";
import type { SupabaseClient } from "@supabase/supabase-js";
import { browserClient, signInNewAgent } from "../support/agents.ts";
import { ingest, PDF_BASE64 } from "../support/applications.ts";
import { createAgency, createVendor, PDF, sql } from "../support/client.ts";

/** A resume that was sent for a lead, and the lead given to an agent of an agency (or to nobody). */
async function createResume(agency_id: string | null, agent_id: string | null): Promise<string> {
  const { body, status } = await ingest(await createVendor(), { first_name: "Ada", resume: PDF_BASE64 });
  assert.equal(status, 201);
  const [lead] = await sql`
    update public.recruiting_leads
    set distribution = 'not_requested', order_id = null, distributed_at = null,
      agency_id = ${agency_id}, agent_id = ${agent_id}
    where id = ${body.id} returning resume_path`;
  return lead!.resume_path;
}

/** The file that the client downloads by a signed URL, or null when it gets none. */
async function openResume(client: SupabaseClient, path: string): Promise<Uint8Array | null> {
  const { data, error } = await client.storage.from("resumes")
    .createSignedUrl(path, 60, { download: true });
  if (error !== null) return null;
  const response = await fetch(data.signedUrl);
  assert.equal(response.status, 200, await response.clone().text());
  assert.equal(response.headers.get("content-type"), "application/pdf");
  assert.match(response.headers.get("content-disposition") ?? "", /^attachment/);
  return response.bytes();
}

Deno.test("an agent opens a resume of its own by a signed URL, which opens nothing else, and ends; others get none", async () => {
  const agency = await createAgency();
  const [owner, colleague] = [await signInNewAgent(agency.id), await signInNewAgent(agency.id)];
  const [path, other] = [await createResume(agency.id, owner.agent_id), await createResume(agency.id, null)];
  assert.deepEqual(await openResume(owner.client, path), PDF);
  for (const [client, refused] of [[colleague.client, path], [browserClient(), path], [owner.client, other]] as const) {
    assert.equal(await openResume(client, refused), null);
  }
  const bucket = owner.client.storage.from("resumes");
  assert((await bucket.upload(path, new Blob([PDF], { type: "application/pdf" }), { upsert: true })).error);
  const { data } = await bucket.createSignedUrl(path, 1);
  const { signedUrl } = data!;
  await new Promise((resolve) => setTimeout(resolve, 2_100));
  for (const url of [signedUrl.replace(path, other), signedUrl.slice(0, -3), signedUrl.split("?")[0]!, signedUrl]) {
    const response = await fetch(url);
    assert(response.status >= 400, url);
    await response.body?.cancel();
  }
});
