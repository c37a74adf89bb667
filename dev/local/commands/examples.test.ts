import assert from "node:assert/strict";
import { getExpectedTwilioSignature } from "twilio/lib/webhooks/webhooks.js";
import { examples } from "./examples.ts";
import type { StackInfo } from "../stack_info.ts";

Deno.test("Twilio's requests are sent to this stack, signed for its public address", () => {
  const stack = { functions_url: "http://127.0.0.1:1/f", twilio_auth_token: "token", vendors: [] };
  const commands = examples(stack as Partial<StackInfo> as StackInfo, "https://public.example/f")
    .map(({ command }) => command).filter((command) => command.includes("X-Twilio-Signature"));
  assert.equal(commands.length, 2);
  for (const command of commands) {
    const [, path] = /'http:\/\/127\.0\.0\.1:1\/f(\/recruiting\/sms\/\w+)'/.exec(command)!;
    const fields = [...command.matchAll(/--data-urlencode '(\w+)=([^']*)'/g)];
    const parameters = Object.fromEntries(fields.map(([, name, value]) => [name, value]));
    const url = `https://public.example/f${path}`;
    const signature = getExpectedTwilioSignature("token", url, parameters);
    assert(command.includes(`X-Twilio-Signature: ${signature}'`), command);
  }
});
