import { existsSync } from "node:fs";
import { join } from "node:path";
import postgres from "postgres";
import { emptyDataDir, type Launched, LocalStack, readableLine, say, Scheduler } from "../local/mod.ts";
import { blankSettings } from "../testing/throwaway_stack.ts";
import { GraphDouble } from "../testing/graph/double.ts";
import { graphSettings } from "../testing/graph/app.ts";
import { Receiver } from "../testing/receiver/receiver.ts";
import { twilioSettings } from "../testing/twilio/account.ts";
import { TwilioDouble } from "../testing/twilio/double.ts";
import { makeAgencies } from "./agencies.ts";
import { PASSWORD } from "./cast.ts";
import { receive } from "./receive.ts";
import { Life } from "./life.ts";
import { VendorClient } from "./vendors.ts";
import { makeWorld } from "./world.ts";

export interface DemoOptions {
  port: number;
  dbPort: number;
  dataDir: string;
  seed: number;
  /** The leads that vendors post a minute. */
  pace: number;
  /** The leads of the 30 days, {@link MOST_LEADS} at most. */
  leads: number;
  reset?: boolean;
}

/** What `demo.json` keeps in the folder, so that the next start goes on with the same world. */
interface Kept {
  seed: number;
  /** Missing until the world is whole. */
  keys?: [slug: string, key: string][];
  /** In a line. */
  world?: string;
  /** With which the receiver checks signatures. */
  secrets?: string[];
}

/** A stack of its own with the doubles of Twilio and Meta, a receiver, a world, and the life in it. */
export class Demo implements Launched {
  readonly #options: DemoOptions;
  readonly #stack: LocalStack;
  readonly #twilio: TwilioDouble;
  readonly #graph: GraphDouble;
  readonly #receiver: Receiver;
  readonly #file: string;
  #sql?: postgres.Sql;
  #life?: Life;
  #scheduler?: Scheduler;

  constructor(options: DemoOptions, giveUp: (reason: string) => void) {
    const { port, dbPort, dataDir } = this.#options = options;
    const [twilio, graph, receiver] = [port + 9, port + 10, port + 11];
    this.#twilio = new TwilioDouble(twilio);
    this.#graph = new GraphDouble(graph);
    this.#receiver = new Receiver(receiver);
    this.#file = join(dataDir, "demo.json");
    this.#stack = new LocalStack({
      ...{ port, dbPort, dataDir, say, giveUp },
      settings: {
        ...blankSettings(),
        ...twilioSettings(twilio),
        ...graphSettings(graph),
        TEXTING_WORKER: "off",
        FUNCTIONS_RELOAD: "off",
      },
      hasDesk: true,
      isThrowaway: true,
      // Each compiles the functions anew, and keeps them in memory.
      connections: 3,
      // What life says is one line for each event. Of the requests only what went wrong is shown.
      show: (part, lines) => part === "gateway" && lines.filter(isFault).forEach((line) => say(readableLine(line))),
    });
  }

  async start(): Promise<void> {
    const startedAt = performance.now();
    this.#receiver.onDelivery = (delivery) => receive(delivery).verdict;
    const kept = await this.#open();
    await Promise.all([this.#twilio, this.#graph, this.#receiver].map((double) => double.start().catch(whyPort)));
    const info = await this.#stack.start();
    const connect = (max: number) => this.#sql = postgres(info.db_url, { max, onnotice: () => {} });
    const seconds = () => ((performance.now() - startedAt) / 1_000).toFixed(1);
    if (kept.keys === undefined) {
      say(`The stack is ready after ${seconds()} s. Making 30 days of it`);
      const sql = connect(8);
      const keys = await makeAgencies(sql, this.#receiver);
      const vendors = new VendorClient(info, this.#graph, keys);
      const tools = { stack: info, sql, twilio: this.#twilio, vendors };
      const world = await makeWorld(tools, kept.seed, this.#options.leads);
      Object.assign(kept, { world, keys: [...keys], secrets: this.#receiver.secrets });
      this.#keep(kept);
      await sql.end();
    } else this.#receiver.secrets.push(...kept.secrets!);
    const sql = connect(2);
    const vendors = new VendorClient(info, this.#graph, new Map(kept.keys));
    this.#life = new Life({ stack: info, sql, vendors, twilio: this.#twilio, receiver: this.#receiver }, {
      ...{ pace: this.#options.pace, seed: kept.seed, say },
    });
    // Not before, so that the world does not depend on when the worker is called.
    this.#scheduler = new Scheduler({
      ...{ dbUrl: info.db_url, functionsUrl: info.functions_url, key: info.worker_key, isConfigured: true },
      askEvery: 1_000,
      say,
    });
    say(welcome(kept.world!, info.api_url, this.#twilio.url, this.#receiver.url, this.#options.dataDir));
    say(`Ready in ${seconds()} s. Ctrl-C stops all of it.\n`);
    await this.#life.start();
  }

  async stop(): Promise<void> {
    await this.#life?.stop();
    await this.#scheduler?.stop();
    await this.#sql?.end({ timeout: 1 });
    await this.#stack.stop();
    await Promise.all([this.#twilio, this.#graph, this.#receiver].map((double) => double.stop()));
  }

  /** Opens the folder, which must be the demonstration's own. */
  async #open(): Promise<Kept> {
    const { dataDir, seed, reset } = this.#options;
    const isThere = existsSync(join(dataDir, "postgres"));
    if (isThere && !existsSync(this.#file)) {
      throw new Error(
        `${dataDir} belongs to another stack, which the demonstration never touches. Choose another folder.`,
      );
    }
    const kept: Kept = isThere ? JSON.parse(Deno.readTextFileSync(this.#file)) : { seed };
    if (isThere && !reset && kept.keys && kept.seed === seed) return kept;
    if (isThere && !reset && kept.keys) {
      throw new Error(`${dataDir} has the world of the seed ${kept.seed}. Add --reset to replace it.`);
    }
    await emptyDataDir(dataDir);
    const begun = { seed };
    this.#keep(begun);
    return begun;
  }

  #keep(kept: Kept): void {
    Deno.mkdirSync(this.#options.dataDir, { recursive: true, mode: 0o700 });
    Deno.writeTextFileSync(this.#file, JSON.stringify(kept), { mode: 0o600 });
  }
}

function whyPort(error: Error): never {
  throw new Error(`A double cannot listen: ${error.message}. Choose another port: npm run demo -- --port <number>`);
}

/** Whether a line of the gateway's log is about a fault of the service. */
function isFault(line: string): boolean {
  return line.includes('"level":"error"');
}

function welcome(world: string, api: string, twilio: string, receiver: string, dataDir: string): string {
  return `
  Desk      ${api}/desk/
              dana.whitfield@example.com   a manager in Chicago (ines.navarro in Denver, ruben.cole in New York)
              james.okafor@example.com     an agent
              olivia.park@example.com      an operator
              password ${PASSWORD}
  API       ${api}/functions/v1
  Twilio    ${twilio}/double/log   the double: every text, as JSON
  Receiver  ${receiver}/             what agencies' systems are sent, and how they respond

  World     ${world}

  First: sign in as Dana and look at Home, then at the inbox. docs/tour.md walks through the rest in ten minutes.
  Commands for it, in another terminal: DATA_DIR='${dataDir}' npm run admin -- check
`;
}
