/**
 * What a caller sends to an SQL function stays in the body of the response. PostgREST writes the message of some errors
 * into the status line, so a line end in a message would begin a header, or the response to another caller's request.
 * `supabase/tests/base/quoted_errors.test.ts` proves that every error quotes alike; here some are quoted over HTTP.
 */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { stack } from "../../testing/shared_stack.ts";

const SPLIT = "x\r\nX-Injected: yes\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\nforeign";
const LARGE = SPLIT.repeat(1_000).slice(0, 64 * 1024);
const HOSTILE = [
  SPLIT,
  SPLIT.replaceAll("\r\n", "\n"),
  SPLIT.replaceAll("\r\n", "\r"),
  // CR and LF, for a server that keeps the lower eight bits of each character.
  SPLIT.replaceAll("\r\n", "\u010d\u010a"),
  "x\u0000\u001b[2J\u007f\u0085\u009f\u2028\u2029",
  LARGE,
];

/** Sends a call on a connection of its own, and reads it to its end. Each character of the response is one byte. */
async function call(url: string, json: object): Promise<string> {
  const { hostname, port, pathname } = new URL(url);
  const connection = await Deno.connect({ hostname, port: Number(port) });
  const body = Buffer.from(JSON.stringify(json));
  const head = [
    `POST ${pathname} HTTP/1.1`,
    `host: ${hostname}:${port}`,
    `apikey: ${stack.publishable_key}`,
    `authorization: Bearer ${stack.service_role_key}`,
    "content-type: application/json",
    `content-length: ${body.length}`,
    "connection: close",
  ];
  const writer = connection.writable.getWriter();
  await writer.write(Buffer.concat([Buffer.from(`${head.join("\r\n")}\r\n\r\n`), body]));
  return Buffer.from(await new Response(connection.readable).bytes()).toString("latin1");
}

/** Functions with an argument that an error quotes, by a SQLSTATE PTxyz. */
const QUOTED: [name: string, argument: string, others?: object][] = [
  ["count_vendor_days", "timezone"],
  ["create_vendor_api_key", "vendor_slug", { label: "x" }],
  ["resume_number", "phone"],
  ["set_alert_rule", "kind"],
  ["close_hours", "state", { starts_on: null, until: "2099-01-01", source: "x" }],
];

for (const [way, url] of [["PostgREST", stack.restUrl], ["the gateway", `${stack.api_url}/rest/v1`]] as const) {
  Deno.test(`no text that an error quotes leaves the body of its response: ${way}`, async () => {
    // Of another caller, whose response comes over the same connection of the gateway.
    const read = async () => {
      const headers = { apikey: stack.publishable_key, authorization: `Bearer ${stack.service_role_key}` };
      return await (await fetch(`${url}/vendors?select=id,slug&slug=eq.generic`, { headers })).text();
    };
    const expected = await read();
    for (const [name, argument, others] of QUOTED) {
      for (const hostile of HOSTILE) {
        const response = await call(`${url}/rpc/${name}`, { [argument]: hostile, ...others });
        assert.match(response, /^HTTP\/1\.1 [45]\d\d [\x20-\x7e\x80-\xff]{0,1500}\r\n/);
        assert.doesNotMatch(response, /[\r\n](?:X-Injected|HTTP)/i);
        if (hostile === SPLIT) assert(response.includes("x??X-Injected"), `${name} quotes nothing: ${response}`);
        assert.equal(await read(), expected);
      }
    }
  });
}

Deno.test("the gateway's HTTP client refuses a status line that is not well-formed", async () => {
  for (const line of ["HTTP/1.1 400 a\x01b", "HTTP/1.1 400 a\rb", "HTTP/1.1 40x a", "HTTP/1.1 400 a\x7f"]) {
    const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const responded = listener.accept().then(async (connection) => {
      await connection.read(new Uint8Array(1_024));
      await connection.write(new TextEncoder().encode(`${line}\r\ncontent-length: 0\r\n\r\n`));
      connection.close();
    });
    await assert.rejects(fetch(`http://127.0.0.1:${listener.addr.port}/`), line);
    await responded;
    listener.close();
  }
});
