/** `npm run receiver`: a receiver for a destination, which prints what arrives, and whether its signature is right. */
import { Buffer } from "node:buffer";
import type { IncomingMessage, ServerResponse } from "node:http";
import { Command, Option } from "commander";
import { standardCheck } from "../../supabase/functions/recruiting/webhooks/standard.ts";
import { readOptions } from "../local/mod.ts";
import { LoopbackServer } from "./loopback_server.ts";

const { port, secret, status } = readOptions<{ port: string; secret?: string; status: string }>(
  new Command("npm run receiver --")
    .description("Prints what a destination sends, and whether its signature is right.")
    .option("--port <number>", "port of 127.0.0.1 to listen on", "54332")
    .addOption(new Option("--secret <secret>", "the destination's signing secret, whsec_…").env("RECEIVER_SECRET"))
    .option("--status <number>", "the status to respond with; 401 where the signature is wrong", "204"),
);

class Receiver extends LoopbackServer {
  protected override async respond(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = Buffer.concat(await incoming.toArray());
    const headers = new Headers(incoming.headers as Record<string, string>);
    const received = { headers, query: new URLSearchParams(), body, bodies: [body] };
    const isVerified = secret && standardCheck({}, received, new Date())(secret) !== null;
    const verdict = secret ? isVerified ? "verified" : "NOT verified" : "not checked, because --secret was not given";
    console.log(`${headers.get("webhook-id")}: ${verdict}\n${shown(body.toString())}\n`);
    response.writeHead(secret && !isVerified ? 401 : Number(status)).end();
  }
}

function shown(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}

const { url } = await Receiver.start(Number(port));
console.log(`It listens. This makes a destination for it:

npm run admin -- destination create trial --agency <agency> --url ${url}/
`);
