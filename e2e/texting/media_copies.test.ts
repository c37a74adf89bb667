/** The files of recruits' texts: what the worker copies, what it does not, and the faults around it. */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { admin, adminJson, assertRefused } from "../support/admin.ts";
import { send, sql, stack } from "../support/client.ts";
import { consoleOf, functionWith } from "../support/function.ts";
import { eventually } from "../support/processes.ts";
import { receive } from "../support/sms.ts";
import type { Fault } from "../../dev/testing/twilio/double.ts";
import { kill } from "../../dev/testing/faults/parts.ts";
import { withFetch } from "../../dev/testing/faults/responses.ts";
import { type Conversation, createConversation, double, queueText, requestWork, sentBodies, work } from "./texts.ts";

const JPEG = Buffer.from("\xff\xd8\xff\xe0 a picture", "latin1");

/** A recruit sends files. Returns the id of the stored message. */
async function sendFiles(
  { recruit, phone }: Conversation,
  ...files: { bytes: Uint8Array; content_type?: string }[]
): Promise<string> {
  const media = files.map((file) => ({ content_type: "image/jpeg", ...file }));
  const { sid, urls } = double.receive({ from: recruit, to: phone, body: "My ID", media });
  const fields = urls.flatMap((url, n) => [[`MediaUrl${n}`, url], [`MediaContentType${n}`, media[n]!.content_type]]);
  const { status } = await receive({ id: "", recruit, service: phone }, {
    MessageSid: sid,
    Body: "My ID",
    NumMedia: String(urls.length),
    ...Object.fromEntries(fields),
  });
  assert.equal(status, 200);
  const [message] = await sql`select id from public.recruiting_messages where provider_message_id = ${sid}`;
  return message!.id;
}

/** A text with one file, whose next requests have this fault. */
async function sendFile(fault?: Fault, bytes: Uint8Array = JPEG) {
  const conversation = await createConversation();
  if (fault !== undefined) double.fail({ method: "FILE", ...fault });
  const id = await sendFiles(conversation, { bytes });
  return { conversation, id };
}

async function copies(id: string) {
  return [
    ...await sql`
    select state, path, content_type, reason, attempt from public.media_copies
    where message_id = ${id} order by position`,
  ];
}

/** Lets the time pass for which a file waits, or the lease of a worker that has died. */
async function passTime(id: string): Promise<void> {
  await sql`
    update public.media_copies set due_at = now(), lease_until = least(lease_until, now())
    where message_id = ${id} and state = 'waiting'`;
}

async function stored(path: string): Promise<{ type: string | null; bytes: Buffer } | null> {
  const response = await fetch(`${stack.api_url}/storage/v1/object/text-media/${path}`, {
    headers: { authorization: `Bearer ${stack.service_role_key}` },
  });
  const bytes = Buffer.from(await response.arrayBuffer());
  return response.ok ? { type: response.headers.get("content-type"), bytes } : null;
}

/** A call of the database that ends in an error, and is not repeated. */
function refused(): Response {
  return Response.json({ code: "XX000", message: "Secret words" }, { status: 500 });
}

/** The worker in this process. */
async function workHere(settings: Record<string, string> = {}) {
  const worker = await functionWith("worker", { ...double.settings, WORKER_KEY: "key", ...settings });
  return await worker("/worker/run", { headers: { authorization: "Bearer key" } });
}

Deno.test("each file of a text is copied, with the type of its content", async () => {
  const conversation = await createConversation();
  const png = Buffer.from("\x89PNG\r\n\x1a\n a license", "latin1");
  const id = await sendFiles(conversation, { bytes: JPEG }, { bytes: png });
  await work();
  const path = `${conversation.id}/${id}`;
  assert.deepEqual(await copies(id), [
    { state: "copied", path: `${path}-0`, content_type: "image/jpeg", reason: null, attempt: 1 },
    { state: "copied", path: `${path}-1`, content_type: "image/png", reason: null, attempt: 1 },
  ]);
  assert.deepEqual(await stored(`${path}-0`), { type: "image/jpeg", bytes: JPEG });
  assert.deepEqual(await stored(`${path}-1`), { type: "image/png", bytes: png });
  const [message] = await sql`select media from public.recruiting_messages where id = ${id}`;
  assert.deepEqual(
    message!.media.map(({ content_type }: { content_type: string }) => content_type),
    ["image/jpeg", "image/jpeg"],
    "what the provider says of it stays",
  );
});

Deno.test("a file that is not kept leaves the text there, and says why", async () => {
  const { id } = await sendFile({ location: "https://127.0.0.1/file" });
  await work();
  assert.deepEqual(await copies(id), [
    { state: "failed", path: null, content_type: null, reason: "address", attempt: 1 },
  ]);
  const [message] =
    await sql`select body, jsonb_array_length(media) as files from public.recruiting_messages where id = ${id}`;
  assert.deepEqual([message!.body, message!.files], ["My ID", 1]);
});

Deno.test("a file waits while the provider, storage or the account fails, and a text is never late for it", async () => {
  const { id } = await sendFile({ status: 500 });
  assert.equal((await workHere({ TWILIO_ACCOUNT_SID: " " })).status, 200);
  assert.partialDeepStrictEqual(await copies(id), [{ state: "waiting", attempt: 0 }]);
  await work();
  assert.partialDeepStrictEqual(await copies(id), [{ state: "waiting", reason: "HTTP 500", attempt: 1 }]);
  await passTime(id);
  await withFetch(async (fetch, input, init) => {
    return String(input).includes("/object/text-media/")
      ? new Response("no storage", { status: 503 })
      : await fetch(input, init);
  }, () => workHere());
  assert.partialDeepStrictEqual(await copies(id), [{ state: "waiting", reason: "storage", attempt: 2 }]);

  await passTime(id);
  double.fail({ method: "FILE", accepted: true, delay_ms: 2_000 });
  const conversation = await createConversation();
  await queueText(conversation, "Hi");
  const working = work();
  await eventually(2, () => Promise.resolve(assert.deepEqual(sentBodies(conversation), ["Hi"])));
  assert.partialDeepStrictEqual(await copies(id), [{ state: "waiting" }]);
  await working;
  assert.partialDeepStrictEqual(await copies(id), [{ state: "copied", reason: null, attempt: 3 }]);
});

Deno.test("a worker that is killed before it has stored a file, or after it, leaves one copy", async () => {
  const { conversation, id } = await sendFile({ delay_ms: 15_000 });
  const workers = Promise.allSettled([requestWork()]);
  await eventually(10, async () => assert.partialDeepStrictEqual(await copies(id), [{ attempt: 1 }]));
  await kill("gateway");
  await workers;
  await eventually(20, async () => assert.equal((await send("/worker/run")).status, 401));
  double.clearFaults();
  await passTime(id);

  // This one stores the file, and dies before it has recorded that.
  await withFetch(async (fetch, input, init) => {
    if (String(input).endsWith("/rpc/record_media_copy")) return refused();
    return await fetch(input, init);
  }, () => consoleOf(() => workHere()));
  assert.notEqual(await stored(`${conversation.id}/${id}-0`), null);
  assert.partialDeepStrictEqual(await copies(id), [{ state: "waiting", attempt: 2 }]);
  await passTime(id);
  await work();
  assert.partialDeepStrictEqual(await copies(id), [{ state: "copied", attempt: 3 }]);
  const objects = await sql`
    select name from storage.objects where bucket_id = 'text-media' and name like ${`${conversation.id}/%`}`;
  assert.deepEqual([...objects], [{ name: `${conversation.id}/${id}-0` }]);
});

Deno.test("of a text that is deleted while its file is fetched, no copy stays", async () => {
  const { conversation, id } = await sendFile();
  await withFetch(async (fetch, input, init) => {
    if (String(input).includes("/object/text-media/") && init?.method === "POST") {
      await sql`delete from public.recruiting_conversations where id = ${conversation.id}`;
    }
    return await fetch(input, init);
  }, () => workHere());
  assert.equal(await stored(`${conversation.id}/${id}-0`), null);
});

Deno.test("a person's copies are exported, and removed when the person is erased", async () => {
  const { conversation, id } = await sendFile();
  await work();
  const path = `${conversation.id}/${id}-0`;
  for (const [name, value] of Object.entries(double.settings)) Deno.env.set(name, value);
  const held = await adminJson(`person export ${conversation.recruit}`);
  assert.partialDeepStrictEqual(held.files, [{ bucket: "text-media", name: path }]);
  const [message] = held.conversations[0].messages;
  assert.partialDeepStrictEqual(message.media_copies, [{ position: 0, state: "copied", path }]);

  const late = await sendFiles(conversation, { bytes: JPEG });
  await sql`
    update public.media_copies set lease_until = now() + interval '1 minute', due_at = now() + interval '1 minute'
    where message_id = ${late}`;
  assertRefused(await admin(`person erase ${conversation.recruit} --yes`), 1, /a file of this person is being copied/);
  await sql`update public.media_copies set lease_until = null where message_id = ${late}`;
  const { erased } = await adminJson(`person erase ${conversation.recruit} --yes`);
  assert.equal(erased.conversation, 1);
  assert.equal(await stored(path), null);
  assert.deepEqual(await copies(id), []);
});

Deno.test("nothing that is logged has a file's URL, its content, a number or a key", async () => {
  const { conversation, id } = await sendFile({ status: 401, code: 20003 });
  const { id: wrong } = await sendFile(undefined, Buffer.from("Secret words"));
  const lines = await consoleOf(() => workHere());
  assert.partialDeepStrictEqual(await copies(id), [{ state: "waiting", reason: "credentials" }]);
  assert.partialDeepStrictEqual(await copies(wrong), [{ state: "failed", reason: "type" }]);
  lines.push(
    ...await consoleOf(async () => {
      await passTime(id);
      await withFetch(async (fetch, input, init) => {
        if (String(input).endsWith("/rpc/record_media_copy")) return refused();
        return await fetch(input, init);
      }, () => workHere());
    }),
  );
  const logged = lines.join();
  assert.match(logged, /"event":"job_failed","job":"media_copies"/);
  const secrets = [
    conversation.recruit.slice(1),
    conversation.phone.slice(1),
    "Secret",
    "a picture",
    "/Media/",
    "Basic",
  ];
  for (const secret of [...secrets, ...Object.values(double.settings)]) assert(!logged.includes(secret), secret);
  await passTime(id);
  await work();
});
