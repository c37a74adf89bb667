import type { AdminCommand } from "../command.ts";
import { option } from "../options.ts";
import type { Outcome, Session } from "../session.ts";

const SUBJECT = option(
  "--subject <url>",
  "whom push services contact when something is wrong",
  "mailto: and an e-mail address, or an https URL",
  (given) => /^(mailto:\S+@\S+|https:\/\/\S+)$/.test(given) ? given : undefined,
);

export function addPush(program: AdminCommand): void {
  const push = program.noun("push", "notifications on agents' phones and browsers (Web Push)");
  push.verb("keys", "makes the keys of the functions, and stores nothing", "--subject mailto:ops@example.com")
    .needs(SUBJECT)
    .reads(makeKeys);
}

/** Makes a pair of keys: RFC 8292. Browsers that subscribed with an earlier pair must subscribe again. */
async function makeKeys(_: Session, { subject }: { subject: string }): Promise<Outcome> {
  const { publicKey, privateKey } = await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, [
    "sign",
  ]);
  const data = {
    VAPID_PUBLIC_KEY: new Uint8Array(await crypto.subtle.exportKey("raw", publicKey))
      .toBase64({ alphabet: "base64url", omitPadding: true }),
    VAPID_PRIVATE_KEY: (await crypto.subtle.exportKey("jwk", privateKey)).d!,
    VAPID_SUBJECT: subject,
  };
  return { data, text: Object.entries(data).map(([name, value]) => `${name}=${value}`).join("\n") };
}
