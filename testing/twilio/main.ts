/** A double of Twilio's REST API as a process of its own, started by `double.ts`. It ends when its input is closed. */
import { Command } from "commander";
import type { Account } from "./account.ts";
import { Double } from "./server.ts";
import { Store } from "./store.ts";

const options = new Command("testing/twilio/main.ts")
  .requiredOption("--port <number>", "port of 127.0.0.1 to listen on")
  .requiredOption("--store <file>", "file with the account's messages, which is made if missing")
  .requiredOption("--account <json>", "the account: {sid, authToken, apiKey, apiSecret}")
  .parse(Deno.args, { from: "user" })
  .opts<{ port: string; store: string; account: string }>();

const account: Account = JSON.parse(options.account);
new Double(account, new Store(options.store)).server()
  .listen(Number(options.port), "127.0.0.1", () => console.log("ready"));

for await (const _ of Deno.stdin.readable);
Deno.exit();
