import type { Command } from "commander";

/**
 * Adds a noun.
 *
 * @param description one line for the list of nouns
 */
export function addNoun(parent: Command, name: string, description: string): Command {
  return parent.command(name).description(description).usage("<verb> [options]").helpCommand(false);
}

/**
 * Adds a command that has no verbs.
 *
 * @param example the words after `npm run admin --` of a command line that works
 */
export function addCommand(
  parent: Command,
  name: string,
  description: string,
  example: string,
): Command {
  return parent.command(name).description(description)
    .addHelpText("after", `\nExample:\n  npm run admin -- ${example}`);
}

/**
 * Adds a verb to a noun. Its options and its action are the caller's to add.
 *
 * @param usage its name and its arguments, such as `create <slug>`
 * @param example the words after the noun of a command line that works
 */
export function addVerb(
  noun: Command,
  usage: string,
  description: string,
  example: string,
): Command {
  return addCommand(noun, usage, description, `${wordsOf(noun)} ${example}`);
}

/** The words after `npm run admin --` that name a noun: `vendor webhook`. */
function wordsOf(noun: Command): string {
  const isNested = noun.parent?.parent;
  return isNested ? `${wordsOf(noun.parent!)} ${noun.name()}` : noun.name();
}

/** Refuses an `update` or a `set` that names nothing to change. */
export function requireChange(options: object, command: Command): void {
  if (Object.values(options).some((value) => value !== undefined)) return;
  const [first] = command.options;
  command.error(`${command.name()}: give what to change, such as ${first!.flags}`);
}
