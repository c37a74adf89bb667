import { ApiError } from "../../supabase/functions/_shared/errors.ts";
import { type Json, parseJson } from "../../supabase/functions/_shared/json.ts";
import { PARSER_NAMES } from "../../supabase/functions/recruiting/parsers/index.ts";
import { compileConfig } from "../../supabase/functions/recruiting/parsers/mapping_config.ts";
import { CommandError } from "../errors.ts";
import { pathOf } from "../terminal.ts";

/** The options that choose a parser. */
export interface ParserChoice {
  parser?: string;
  /** Path of a JSON file with the parser's configuration. */
  config?: string;
}

/**
 * Stops a vendor from being saved in a state in which each of its leads would be refused.
 *
 * @throws {CommandError} naming what is wrong with the parser or its configuration
 */
export function checkParser(parser: string | null | undefined, config: Json): void {
  if (parser === null || parser === undefined) return;
  if (!PARSER_NAMES.includes(parser)) {
    throw new CommandError(
      `There is no parser "${parser}". The parsers are: ${PARSER_NAMES.join(", ")}`,
    );
  }
  if (parser !== "mapping") return;
  const { error } = compileConfig(config);
  if (error !== null) {
    throw new CommandError(
      `${error}. Give the mapping with --config <file.json>; docs/parsers.md has an example.`,
    );
  }
}

/**
 * Reads the file of `--config`; undefined where none is given.
 *
 * @throws {CommandError} when the file cannot be read, or the parser takes no configuration
 */
export function readConfig(
  parser: string | null | undefined,
  file: string | undefined,
): Json | undefined {
  if (file === undefined) return undefined;
  if (parser !== "mapping") {
    throw new CommandError(`Only the parser mapping takes a --config, not ${parser ?? "none"}`);
  }
  return readJsonFile(file);
}

/** @throws {CommandError} when there is no such file, or it is not JSON */
export function readJsonFile(file: string): Json {
  try {
    return parseJson(Deno.readTextFileSync(pathOf(file)));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) throw new CommandError(`There is no file ${file}`);
    if (error instanceof ApiError) {
      const reason = error.cause instanceof Error ? error.cause.message : error.message;
      throw new CommandError(`${file} cannot be read as JSON: ${reason}`);
    }
    throw error;
  }
}
