import type { IncomingMessage, ServerResponse } from "node:http";
import { Buffer } from "node:buffer";
import { createDecipheriv, createECDH, hkdfSync, randomBytes } from "node:crypto";
import { LoopbackServer, send } from "./loopback_server.ts";

/** What a browser gives the desk: PushSubscription.toJSON(), flat. */
export interface Subscription {
  endpoint: string;
  p256dh: string;
  auth: string;
}

/** A push as the browser gets it. */
export interface ReceivedPush {
  headers: Record<string, string>;
  /** The claims of the VAPID token, whose signature was verified. */
  claims: Record<string, unknown>;
  data: unknown;
}

/**
 * A push service with browsers that have subscribed at it. It decrypts what it gets by Node's own cryptography, and
 * verifies the sender's token.
 */
export class PushService extends LoopbackServer {
  static override readonly portVariable: string = "PUSH_SERVICE_PORT";
  /** The statuses of its next responses; then 201. */
  readonly statuses: number[] = [];
  readonly #browsers = new Map<string, { pushes: ReceivedPush[]; open: (body: Buffer) => unknown }>();

  /** A browser subscribes. */
  subscribe(): Subscription {
    const path = `/${crypto.randomUUID()}`;
    const key = createECDH("prime256v1");
    key.generateKeys();
    const auth = randomBytes(16);
    this.#browsers.set(path, { pushes: [], open: (body) => JSON.parse(decrypt(body, key, auth)) });
    return { endpoint: this.url + path, p256dh: key.getPublicKey("base64url"), auth: auth.toString("base64url") };
  }

  /** All pushes to a browser, oldest first, each repetition too. */
  pushesTo({ endpoint }: Subscription): ReceivedPush[] {
    return this.#browsers.get(new URL(endpoint).pathname)!.pushes;
  }

  protected override async respond(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const headers = incoming.headers as Record<string, string>;
    const { pushes, open } = this.#browsers.get(incoming.url!)!;
    const body = Buffer.from(await new Response(incoming).arrayBuffer());
    pushes.push({ headers, claims: await claimsOf(headers.authorization!), data: open(body) });
    send(response, { status: this.statuses.shift() ?? 201 });
  }
}

/** Decrypts a body of one record: RFC 8188 and 8291. */
function decrypt(body: Buffer, key: ReturnType<typeof createECDH>, auth: Buffer): string {
  const salt = body.subarray(0, 16);
  const idLength = body[20]!;
  const sender = body.subarray(21, 21 + idLength);
  const hkdf = (ikm: Buffer, salt: Buffer, info: Buffer, length: number) =>
    Buffer.from(hkdfSync("sha256", ikm, salt, info, length));
  const info = Buffer.concat([Buffer.from("WebPush: info\0"), key.getPublicKey(), sender]);
  const ikm = hkdf(key.computeSecret(sender), auth, info, 32);
  const contentKey = hkdf(ikm, salt, Buffer.from("Content-Encoding: aes128gcm\0"), 16);
  const nonce = hkdf(ikm, salt, Buffer.from("Content-Encoding: nonce\0"), 12);
  const record = body.subarray(21 + idLength);
  const cipher = createDecipheriv("aes-128-gcm", contentKey, nonce);
  cipher.setAuthTag(record.subarray(-16));
  const padded = Buffer.concat([cipher.update(record.subarray(0, -16)), cipher.final()]);
  // The last record: data, 2, and zeros.
  return padded.subarray(0, padded.lastIndexOf(2)).toString();
}

/** The claims of `vapid t=<token>, k=<key>`. Throws unless the key has signed them: RFC 8292. */
async function claimsOf(authorization: string): Promise<Record<string, unknown>> {
  const [, token, key] = /^vapid t=([\w.-]+), ?k=([\w-]+)$/.exec(authorization)!;
  const [header, claims, signature] = token!.split(".") as [string, string, string];
  const algorithm = { name: "ECDSA", namedCurve: "P-256" };
  const publicKey = await crypto.subtle.importKey("raw", Buffer.from(key!, "base64url"), algorithm, false, ["verify"]);
  const isSigned = await crypto.subtle.verify(
    { name: "ECDSA", hash: "SHA-256" },
    publicKey,
    Buffer.from(signature, "base64url"),
    Buffer.from(`${header}.${claims}`),
  );
  if (!isSigned) throw new Error("the token is not signed by its key");
  return JSON.parse(Buffer.from(claims, "base64url").toString());
}
