import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { ROOT } from "./paths.ts";

/** What `npm start` and `npm run reset` can be told. */
export interface Options {
  /** Port of the API gateway on 127.0.0.1. */
  port: number;
  /** Port of Postgres on 127.0.0.1. */
  dbPort: number;
  /** Absolute path of the folder that keeps the database, the stored objects, the secrets and the logs. */
  dataDir: string;
}

const USAGE = `usage: npm start -- [options]   (npm run reset takes the same ones)

  --port <number>       port of the API             API_PORT   54321
  --db-port <number>    port of Postgres            DB_PORT    54322
  --data-dir <folder>   where everything is kept    DATA_DIR   .local
  --help                show this

A flag wins over the environment variable named beside it. A relative folder is relative to the checkout.`;

/**
 * Reads the options from the command line and the environment. Prints the usage and exits for `--help`; names the
 * mistake and exits with 2 for an unknown flag or an impossible port.
 */
export function readOptions(args: string[]): Options {
  try {
    const { values } = parseArgs({
      args,
      options: {
        port: { type: "string" },
        "db-port": { type: "string" },
        "data-dir": { type: "string" },
        help: { type: "boolean", short: "h" },
      },
    });
    if (values.help) {
      console.log(USAGE);
      Deno.exit(0);
    }
    const options = {
      port: readPort("--port", values.port, "API_PORT", 54321),
      dbPort: readPort("--db-port", values["db-port"], "DB_PORT", 54322),
      dataDir: resolve(ROOT, values["data-dir"] || Deno.env.get("DATA_DIR") || ".local"),
    };
    if (options.port === options.dbPort) {
      throw new Error(`the API and Postgres cannot both listen on port ${options.port}`);
    }
    return options;
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${USAGE}`);
    Deno.exit(2);
  }
}

function readPort(
  flag: string,
  given: string | undefined,
  variable: string,
  standard: number,
): number {
  const fromEnvironment = Deno.env.get(variable);
  const [name, text] = given !== undefined
    ? [flag, given]
    : fromEnvironment
    ? [variable, fromEnvironment]
    : ["", String(standard)];
  const port = Number(text);
  if (!/^\d+$/.test(text) || port < 1 || port > 65535) {
    throw new Error(`${name} must be a port number from 1 to 65535, not "${text}"`);
  }
  return port;
}
