import assert from "node:assert/strict";
import { addRoute, createApp } from "./app.ts";
import { ApiError } from "./errors.ts";

const app = createApp("/fn");
addRoute(app, "/ok", (c) => Promise.resolve(c.json({ ok: true })));
addRoute(app, "/refused", () => {
  throw new ApiError("BAD_REQUEST", "no name", {
    details: [{ field: "name", message: "missing" }],
  });
});
addRoute(app, "/broken", () => {
  throw new Error("secret of the inside");
});

async function send(path: string, init: RequestInit = { method: "POST" }) {
  const response = await app.fetch(new Request(`http://localhost${path}`, init));
  return { response, body: await response.json() };
}

Deno.test("a usable x-request-id is echoed, another is replaced, in header and error body", async () => {
  const own = await send("/fn/ok", { method: "POST", headers: { "x-request-id": "Abc-1._" } });
  assert.equal(own.response.headers.get("x-request-id"), "Abc-1._");
  for (const bad of ["", "a b", "x".repeat(129), "é"]) {
    const { response, body } = await send("/fn/refused", {
      method: "POST",
      headers: { "x-request-id": bad },
    });
    const id = response.headers.get("x-request-id");
    assert.match(id ?? "", /^[0-9a-f-]{36}$/);
    assert.equal(body.request_id, id);
  }
});

Deno.test("a refusal has the error shape, with details", async () => {
  const { response, body } = await send("/fn/refused");
  assert.equal(response.status, 400);
  assert.deepEqual(body.error, {
    code: "BAD_REQUEST",
    message: "no name",
    details: [{ field: "name", message: "missing" }],
  });
});

Deno.test("an unexpected error is INTERNAL_ERROR and says nothing of the inside", async () => {
  const { response, body } = await send("/fn/broken");
  assert.equal(response.status, 500);
  assert.equal(body.error.code, "INTERNAL_ERROR");
  assert(!JSON.stringify(body).includes("secret"));
});

Deno.test("an unknown path is NOT_FOUND", async () => {
  for (const path of ["/fn", "/fn/nothing", "/fn/ok/more", "/other/ok"]) {
    const { response, body } = await send(path);
    assert.equal(response.status, 404, path);
    assert.equal(body.error.code, "NOT_FOUND");
    assert.equal(response.headers.get("x-request-id"), body.request_id);
  }
});

Deno.test("another method is METHOD_NOT_ALLOWED with Allow", async () => {
  for (const method of ["GET", "PUT", "PATCH", "DELETE", "OPTIONS"]) {
    const { response, body } = await send("/fn/ok", { method });
    assert.equal(response.status, 405, method);
    assert.equal(response.headers.get("allow"), "POST");
    assert.equal(body.error.code, "METHOD_NOT_ALLOWED");
  }
});

Deno.test("one log line per request, without the unknown path", async () => {
  const lines: string[] = [];
  const log = console.log;
  console.log = (line: string) => lines.push(line);
  try {
    await send("/fn/ok");
    await send("/fn/john.doe@example.com");
  } finally {
    console.log = log;
  }
  const [known, unknown] = lines.map((line) => JSON.parse(line));
  assert.equal(lines.length, 2);
  assert.deepEqual(
    { method: known.method, route: known.route, status: known.status },
    { method: "POST", route: "/fn/ok", status: 200 },
  );
  assert.equal(typeof known.duration_ms, "number");
  assert.equal(unknown.route, null);
  assert(!lines.join("").includes("john"));
});
