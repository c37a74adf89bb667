/** `npm run graph-double`: a double of Meta's Graph API, which has the leads that it is given. */
import { Command } from "commander";
import { GRAPH_APP, GRAPH_PAGE, GRAPH_TOKEN } from "./app.ts";
import { GraphDouble } from "./double.ts";

const { port } = new Command("npm run graph-double --")
  .description("A double of Meta's Graph API: it has the leads that it is given.")
  .option("--port <number>", "port of 127.0.0.1 to listen on", "54331")
  .parse(Deno.args, { from: "user" })
  .opts<{ port: string }>();
const { settings, url } = await GraphDouble.start(Number(port));
const variables = Object.entries(settings).map(([name, value]) => `${name}='${value}'`);
console.log(`It listens. This starts a stack that uses it:

${variables.join(" ")} npm start

The app's secret is ${GRAPH_APP.secret}, the page ${GRAPH_PAGE.id}, its access token ${GRAPH_TOKEN}.
A lead is given, and a fault is set, by POST ${url}/double, such as {"fail": [{"code": 190}]}.`);
