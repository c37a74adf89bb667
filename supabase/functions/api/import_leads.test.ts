import assert from "node:assert/strict";
import api from "./index.ts";

/** Returns the status of a request with this key and an invalid body: 400 if the key is accepted. */
async function statusWith(key: string | undefined, keys: string | undefined): Promise<number> {
  if (keys === undefined) Deno.env.delete("LEADS_IMPORT_API_KEY");
  else Deno.env.set("LEADS_IMPORT_API_KEY", keys);
  const headers = new Headers(key === undefined ? {} : { "x-api-key": key });
  const url = "http://internal/api/leads/import";
  const response = await api.fetch(new Request(url, { method: "POST", headers, body: "{" }));
  Deno.env.delete("LEADS_IMPORT_API_KEY");
  return response.status;
}

Deno.test("SPEC 5: while the key is rotated, both keys are accepted", async () => {
  assert.equal(await statusWith("new", "new,old"), 400);
  assert.equal(await statusWith("old", "new, old"), 400);
  assert.equal(await statusWith("older", "new, old"), 401);
  assert.equal(await statusWith("new, old", "new, old"), 401);
});

Deno.test("SPEC 5: if no key is set, every request is UNAUTHORIZED", async () => {
  for (const keys of [undefined, "", " ", ","]) {
    for (const key of [undefined, "", " ", ",", "undefined"]) {
      assert.equal(await statusWith(key, keys), 401);
    }
  }
});
