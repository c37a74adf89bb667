import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { parseEnv } from "node:util";
import { Command, InvalidArgumentError, Option } from "commander";
import { readOptions } from "../command_line.ts";
import { ROOT } from "../paths.ts";

/** Where a stack is. */
export interface StackLocation {
  /** Port of the API gateway on 127.0.0.1. */
  port: number;
  /** Port of Postgres on 127.0.0.1. */
  dbPort: number;
  /** Absolute path of the folder that keeps the database, the stored objects, the secrets and the logs. */
  dataDir: string;
}

/**
 * A command with the options that all commands of the local stack have.
 *
 * @param name as a person types it, for example `npm start`
 */
export function stackCommand(name: string, description: string): Command {
  return new Command(`${name} --`)
    .description(description)
    .addOption(
      new Option("--port <number>", "port of the API").env("API_PORT").default(54321)
        .argParser(readPort),
    )
    .addOption(
      new Option("--db-port <number>", "port of Postgres").env("DB_PORT").default(54322)
        .argParser(readPort),
    )
    .addOption(
      new Option("--data-dir <folder>", "where everything is kept, relative to the checkout")
        .env("DATA_DIR").default(".local"),
    )
    .addHelpText("after", "\nAn option wins over the environment variable named beside it.");
}

/** Reads where a stack is, and the command's other options. Exits as {@link readOptions} does. */
export function readLocation<Others extends object = object>(
  command: Command,
): StackLocation & Others {
  const options = readOptions<StackLocation & Others>(command);
  if (options.port === options.dbPort) {
    command.error(`error: the API and Postgres cannot both listen on port ${options.port}`);
  }
  return { ...options, dataDir: resolve(ROOT, options.dataDir || ".local") };
}

/**
 * The settings of the secrets and the functions: the variables of the environment, and those in
 * `supabase/functions/.env` or in the file that FUNCTIONS_ENV_FILE names. When both have a variable, the environment
 * counts, unless it is blank.
 */
export function readSettings(): Record<string, string> {
  const environment = Deno.env.toObject();
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value));
  const file = resolve(ROOT, environment.FUNCTIONS_ENV_FILE || "supabase/functions/.env");
  if (!existsSync(file)) return given;
  return { ...parseEnv(Deno.readTextFileSync(file)) as Record<string, string>, ...given };
}

/** The port in an option or a variable. */
export function readPort(text: string, standard: number): number {
  // A blank variable counts as missing.
  if (text === "") return standard;
  const port = Number(text);
  if (!/^\d+$/.test(text) || port < 1 || port > 65535) {
    throw new InvalidArgumentError("It must be a port number from 1 to 65535.");
  }
  return port;
}
