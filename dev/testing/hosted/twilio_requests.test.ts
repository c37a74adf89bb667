/**
 * The errors of the hosted projects' Deno for a request to Twilio that fails.
 * `supabase/functions/worker/twilio/api.test.ts` shows those of the pinned Deno.
 */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { freePorts, HOSTED_DENO } from "../../local/mod.ts";
import { run } from "./run.ts";

const ACCEPTED = 'HTTP/1.1 201 Created\r\nContent-Length: 13\r\n\r\n{"sid":"SM1"}';
const RESPONSE = { kind: "response", status: 201, retryAfter: null, body: { sid: "SM1" } };

Deno.test({
  name: "on the platform's Deno a text is sent once, may have been sent where no whole response comes, or is not sent",
  ignore: !existsSync(HOSTED_DENO),
  async fn() {
    for (
      const [response, expected] of [
        [ACCEPTED, RESPONSE],
        ["", { kind: "lost" }],
        [ACCEPTED.slice(0, -5), { kind: "lost" }],
      ] as const
    ) {
      const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
      const requests = serve(listener, response);
      const { port } = listener.addr as Deno.NetAddr;
      assert.deepEqual(await sendTo(`http://127.0.0.1:${port}`), expected);
      listener.close();
      const [request, ...others] = await requests;
      assert.match(request!, /^POST \/2010-04-01\/Accounts\/AC1\/Messages\.json HTTP/);
      assert.match(request!, /^content-length: \d+\r$/m);
      assert.deepEqual(others, []);
    }
    assert.deepEqual(await sendTo(`http://127.0.0.1:${freePorts(1)[0]}`), { kind: "not_sent" });
  },
});

async function sendTo(origin: string): Promise<unknown> {
  const { code, output } = await run(HOSTED_DENO, [
    ...["run", "--quiet", "--allow-all", "--no-check", "--no-config", "--no-lock"],
    "dev/testing/hosted/post_text.ts",
    origin,
  ]);
  assert.equal(code, 0, output);
  return JSON.parse(output);
}

/** Gives every request the same response and closes its connection. Returns the requests. */
async function serve(listener: Deno.Listener, response: string): Promise<string[]> {
  const requests: string[] = [];
  for await (const connection of listener) {
    const buffer = new Uint8Array(64 * 1024);
    let request = "";
    while (!/\r\n\r\n./.test(request)) {
      request += new TextDecoder().decode(buffer.subarray(0, (await connection.read(buffer))!));
    }
    requests.push(request);
    await connection.write(new TextEncoder().encode(response));
    connection.close();
  }
  return requests;
}
