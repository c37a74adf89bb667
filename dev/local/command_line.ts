import type { Command } from "commander";

/**
 * Reads a script's command line. Exits with 2 when it is wrong, naming the mistake, and with 0 after `--help`.
 *
 * npm keeps an option for itself that stands before no `--`, and puts it into the environment: `npm run deploy
 * --dry-run` would deploy. So that is a mistake too. Newer versions of npm pass the option's value on as an argument.
 */
export function readOptions<Options extends object>(command: Command): Options {
  command
    .showHelpAfterError("(--help shows the options)")
    .exitOverride(({ exitCode }) => Deno.exit(exitCode && 2));
  const taken = command.options.flatMap((option) => {
    const value = Deno.env.get(`npm_config_${option.name().replaceAll("-", "_")}`);
    if (!value) return [];
    if (option.isBoolean()) return [option.long];
    const [argument, ...others] = Deno.args;
    const known = value === "true" && argument && others.length === 0 ? argument : value;
    return [`${option.long} ${known === "true" ? "<value>" : known}`];
  }).join(" ");
  if (taken) {
    command.error(
      `npm has kept ${taken} for itself. Write -- before the options:\n\n  ${command.name()} ${taken}\n`,
    );
  }
  return command.parse(Deno.args, { from: "user" }).opts<Options>();
}
