/** `npm run twilio-double`: a double of Twilio's REST API, which takes texts and sends none. */
import { Command } from "commander";
import { TwilioDouble } from "./double.ts";

const { port } = new Command("npm run twilio-double --")
  .description("A double of Twilio: it accepts texts and sends none.")
  .option("--port <number>", "port of 127.0.0.1 to listen on", "54330")
  .parse(Deno.args, { from: "user" })
  .opts<{ port: string }>();
const { settings } = await TwilioDouble.start(Number(port));
const variables = Object.entries(settings).map(([name, value]) => `${name}='${value}'`);
console.log(`It listens. This starts a stack that uses it:\n\n${variables.join(" ")} npm start`);
