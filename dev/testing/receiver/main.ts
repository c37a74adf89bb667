/** `npm run receiver`: a receiver for a destination, which prints what arrives, and whether its signature is right. */
import { Command, Option } from "commander";
import { readOptions } from "../../local/mod.ts";
import { describe, indented, Receiver } from "./receiver.ts";

const { port, secret, status } = readOptions<{ port: string; secret?: string; status: string }>(
  new Command("npm run receiver --")
    .description("Prints what a destination sends, and whether its signature is right.")
    .option("--port <number>", "port of 127.0.0.1 to listen on", "54332")
    .addOption(new Option("--secret <secret>", "the destination's signing secret, whsec_…").env("RECEIVER_SECRET"))
    .option("--status <number>", "the status to respond with; 401 where the signature is wrong", "204"),
);

const receiver = await Receiver.start(Number(port));
if (secret) receiver.secrets.push(secret);
receiver.onDelivery = ({ id, body, isVerified }) => {
  console.log(`${id}: ${describe(isVerified)}\n${indented(body)}\n`);
  return { status: Number(status) };
};
console.log(`It listens. This makes a destination for it:

npm run admin -- destination create trial --agency <agency> --url ${receiver.url}/
`);
