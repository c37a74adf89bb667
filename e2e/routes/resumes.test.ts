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

Deno.test("an agent opens the resumes of its own recruits by signed URL, a manager its agency's", async () => {
  const [agency, elsewhere] = [await createAgency(), await createAgency()];
  const owner = await signInNewAgent(agency.id);
  const colleague = await signInNewAgent(agency.id);
  const manager = await signInNewAgent(agency.id, "manager");
  const stranger = await signInNewAgent(elsewhere.id, "manager");
  const path = await createResume(agency.id, owner.agent_id);
  const withoutAgent = await createResume(agency.id, null);
  const undistributed = await createResume(null, null);

  assert.deepEqual(await openResume(owner.client, path), PDF);
  assert.deepEqual(await openResume(manager.client, path), PDF);
  assert.deepEqual(await openResume(manager.client, withoutAgent), PDF);
  for (
    const [client, refused] of [
      [colleague.client, path],
      [stranger.client, path],
      [browserClient(), path],
      [owner.client, withoutAgent],
      [stranger.client, withoutAgent],
      [manager.client, undistributed],
    ] as const
  ) assert.equal(await openResume(client, refused), null);
});

Deno.test("an agent who is no longer active opens no resume", async () => {
  const agency = await createAgency();
  const agent = await signInNewAgent(agency.id);
  const path = await createResume(agency.id, agent.agent_id);
  assert.deepEqual(await openResume(agent.client, path), PDF);
  await sql`update public.agents set is_active = false where id = ${agent.agent_id}`;
  assert.equal(await openResume(agent.client, path), null);
});

Deno.test("nobody signed in writes, replaces, moves or removes a resume", async () => {
  const agency = await createAgency();
  const manager = await signInNewAgent(agency.id, "manager");
  const path = await createResume(agency.id, null);
  const bucket = manager.client.storage.from("resumes");
  const pdf = new Blob([PDF], { type: "application/pdf" });
  assert((await bucket.upload("a/b.pdf", pdf)).error);
  assert((await bucket.update(path, pdf)).error);
  assert((await bucket.upload(path, pdf, { upsert: true })).error);
  assert((await bucket.move(path, "a/b.pdf")).error);
  assert((await bucket.createSignedUploadUrl("a/b.pdf")).error);
  // Storage reports no error here, it removes nothing.
  assert.deepEqual((await bucket.remove([path])).data ?? [], []);
  assert.deepEqual(await openResume(manager.client, path), PDF);
});

Deno.test("a signed URL opens its own resume alone, and ends", async () => {
  const agency = await createAgency();
  const agent = await signInNewAgent(agency.id);
  const [one, other] = [await createResume(agency.id, agent.agent_id), await createResume(agency.id, null)];
  const { data } = await agent.client.storage.from("resumes").createSignedUrl(one, 60);
  const { signedUrl } = data!;
  for (
    const url of [signedUrl.replace(one, other), signedUrl.slice(0, -3), signedUrl.split("?")[0]!]
  ) {
    const response = await fetch(url);
    assert(response.status >= 400, url);
    await response.body?.cancel();
  }
  const short = await agent.client.storage.from("resumes").createSignedUrl(one, 1);
  await new Promise((resolve) => setTimeout(resolve, 2_100));
  const response = await fetch(short.data!.signedUrl);
  assert(response.status >= 400);
  await response.body?.cancel();
});
