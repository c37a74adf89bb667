import type { Command } from "commander";

/**
 * Reads a script's command line. Exits with 2 when it is wrong, naming the mistake, and with 0 after `--help`.
 *
 * npm keeps an option for itself that stands before no `--`, and puts it into the environment: `npm run deploy --dry-run`
 * would deploy. So that is a mistake too.
 */
export function readOptions<Options extends object>(command: Command): Options {
  command.exitOverride(({ exitCode }) => Deno.exit(exitCode && 2));
  const taken = command.options
    .filter((option) => Deno.env.get(`npm_config_${option.name().replaceAll("-", "_")}`))
    .map((option) => option.long);
  if (taken.length > 0) {
    command.error(
      `npm has kept ${taken.join(" and ")} for itself. Write -- first: ${command.name()} ${
        taken[0]
      }`,
    );
  }
  return command.parse(Deno.args, { from: "user" }).opts<Options>();
}
