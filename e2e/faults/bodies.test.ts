/** Many bodies that stop half way: what others get meanwhile, and what memory they take. */
import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { KIB, MIB } from "../../supabase/functions/_shared/units.ts";
import { ingest, ingestBulk } from "../support/applications.ts";
import { assertResponse, assertStored, atOnce, createVendor, pdfOf, type Vendor, withKey } from "../support/client.ts";
import { Connection } from "../support/connection.ts";
import { memoryGrowth } from "../support/processes.ts";
import { JSON_TYPE } from "../support/routes.ts";
import { createWebhook, deliver } from "../support/webhooks.ts";

/** Connects, announces a body of so many bytes, sends some of them and stops. */
async function stop(path: string, headers: Record<string, string>, announced: number, sent: number) {
  const connection = await Connection.post(path, { ...JSON_TYPE, ...headers, "content-length": `${announced}` });
  // It may never be done: nobody has to take the bytes.
  connection.send(" ".repeat(sent)).catch(() => {});
  return connection;
}

Deno.test("strangers who announce 15 MiB, two a second, delay no webhook of 100 KiB", async () => {
  const vendor = await createWebhook("hmac");
  const flood = (slug: string) => stop(`/recruiting/webhooks/${slug}`, {}, 15 * MIB, 100 * KIB);
  const connections = await atOnce(40, (n) => flood(n % 2 === 0 ? "unknown" : vendor.slug));
  const more = setInterval(() => flood(vendor.slug).then((one) => connections.push(one), () => {}), 500);
  try {
    for (let n = 0; n < 8; n++) {
      const started = performance.now();
      assertResponse(await deliver(vendor, { first_name: `Ann ${n}`, note: "x".repeat(100 * KIB) }), 201);
      assert(performance.now() - started < 8_000, `${performance.now() - started} ms`);
      await delay(250);
    }
    assertResponse(await deliver(vendor, { first_name: "Ann", resume: pdfOf(4 * MIB) }), 201);
    await assertStored(vendor, 9, 1);
  } finally {
    clearInterval(more);
    for (const connection of connections) connection.close();
  }
});

Deno.test({
  name: "80 bodies of one vendor of 15 MiB that stop take little memory, and others are answered",
  ignore: Deno.build.os !== "linux",
  async fn() {
    const [vendor, other]: Vendor[] = [await createVendor(), await createVendor()];
    const growth = await memoryGrowth("gateway", async () => {
      const connections = await atOnce(
        80,
        () => stop("/recruiting/ingest", withKey(vendor!), 15 * MIB, 4 * MIB - KIB),
      );
      await delay(2_000);
      const started = performance.now();
      for (let n = 0; n < 5; n++) assertResponse(await ingest(other!, { first_name: "Ann" }), 201);
      assertResponse(await ingest(vendor!, { first_name: "Ann" }), 201);
      assertResponse(await ingest(other!, { first_name: "Ann", resume: pdfOf(4 * MIB) }), 201);
      const leads = Array.from({ length: 100 }, () => ({ first_name: "Ann", note: "a b ".repeat(10 * KIB) }));
      assert.equal((await ingestBulk(other!, { leads })).body.created, 100);
      assert(performance.now() - started < 15_000, `${performance.now() - started} ms`);
      for (const connection of connections) connection.close();
    });
    // The platform gives an isolate 256 MiB.
    console.log(`80 bodies: ${growth.toFixed(0)} MiB`);
    assert(growth < 220, `${growth} MiB`);
  },
});
