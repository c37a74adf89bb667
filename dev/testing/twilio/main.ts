/**
 * A double of Twilio's REST API as a process of its own: `npm run twilio-double`. Tests start it by `double.ts`. It ends
 * when its input is closed.
 */
import { Command } from "commander";
import { ACCOUNT, type Account, twilioSettings } from "./account.ts";
import { Double } from "./server.ts";
import { Store } from "./store.ts";

const options = new Command("npm run twilio-double --")
  .description("A double of Twilio: it accepts texts and sends none.")
  .option("--port <number>", "port of 127.0.0.1 to listen on", "54330")
  .option("--store <file>", "file with the account's messages, which is made if missing")
  .option("--account <json>", "the account: {sid, authToken, apiKey, apiSecret}")
  .parse(Deno.args, { from: "user" })
  .opts<{ port: string; store?: string; account?: string }>();

const port = Number(options.port);
const account: Account = options.account === undefined ? ACCOUNT : JSON.parse(options.account);
const store = new Store(options.store ?? Deno.makeTempFileSync({ prefix: "twilio-" }));
const settings = Object.entries(twilioSettings(port, account))
  .map(([name, value]) => `${name}='${value}'`);
new Double(account, store).server().listen(port, "127.0.0.1", () => {
  console.log(`It listens. This starts a stack that uses it:\n\n${settings.join(" ")} npm start`);
});

for await (const _ of Deno.stdin.readable);
Deno.exit();
