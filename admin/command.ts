import { Command, type ErrorOptions, type Option } from "commander";
import { UsageError } from "./errors.ts";
import { columnsOf, type Settings } from "./options.ts";
import type { Outcome, Session } from "./session.ts";

/** Runs a verb and prints its outcome. */
export type Run = (work: (session: Session) => Promise<Outcome>, verb: AdminCommand) => Promise<void>;

/** A command whose errors are `UsageError`s that carry its usage: the program, a noun, or a verb. */
export class AdminCommand extends Command {
  readonly #run: Run;
  /** A valid command line, for errors and help. */
  #example = "";
  /** The verb's name in `operator_actions`; null: it is not recorded; undefined: it has no implementation yet. */
  recordedAs: string | null | undefined;

  constructor(name: string | undefined, run: Run) {
    super(name);
    this.#run = run;
  }

  override createCommand(name?: string): AdminCommand {
    return new AdminCommand(name, this.#run);
  }

  /**
   * Adds a noun.
   *
   * @param hidden whether it is an alias that help does not show
   */
  noun(name: string, description: string, hidden = false): AdminCommand {
    return this.command(name, { hidden }).description(description).usage("<verb> [options]")
      .helpCommand(false);
  }

  /**
   * Adds a verb to a noun.
   *
   * @param usage its name and its arguments, such as `create <slug>`
   * @param example the words after the verb in a valid command line
   * @param isDefault whether the noun alone means this verb
   */
  verb(usage: string, description: string, example = "", { isDefault = false } = {}): AdminCommand {
    const verb = this.command(usage, { isDefault }).description(description) as AdminCommand;
    verb.#example = `${commandLine(verb)} ${example}`.trimEnd();
    return verb.addHelpText("after", `\nExample:\n  ${verb.#example}`);
  }

  /** Adds options that may be left out. */
  takes(...options: Option[]): this {
    for (const option of options) this.addOption(option);
    return this;
  }

  /** Adds options that must be given. */
  needs(...options: Option[]): this {
    // A copy, because the same option may be optional for another verb.
    return this.takes(
      ...options.map((option) =>
        Object.assign(Object.create(Object.getPrototypeOf(option)), option).makeOptionMandatory()
      ),
    );
  }

  /** Adds the options of settings, and refuses a command line that sets nothing. */
  changes(settings: Settings): this {
    const [first] = Object.values(settings);
    return this.takes(...Object.values(settings)).refuses(() =>
      Object.keys(columnsOf(settings, this.opts())).length === 0 &&
      `${this.name()}: give what to change, such as ${first!.flags}`
    );
  }

  /** Checks the arguments, and combinations of options, those of the program included. */
  refuses<Given extends unknown[]>(reason: (...given: Given) => string | false | undefined): this {
    return this.hook("preAction", () => {
      const message = reason(...[...this.processedArgs, this.optsWithGlobals()] as Given);
      if (message) this.error(message);
    });
  }

  /**
   * Sets the implementation of a verb that changes something or shows personal data. It makes each change with
   * {@link Session.act}, which records the operator, and returns personal data with {@link Outcome.shows}.
   *
   * @param work takes the arguments and then the options, by their names in camelCase
   */
  runs<Given extends unknown[]>(
    work: (session: Session, ...given: Given) => Promise<Outcome>,
  ): this {
    return this.#does(work, `${this.parent!.name()} ${this.name()}`);
  }

  /** Sets the implementation of a verb that changes nothing and shows no personal data. Otherwise as {@link runs}. */
  reads<Given extends unknown[]>(
    work: (session: Session, ...given: Given) => Promise<Outcome>,
  ): this {
    return this.#does(work, null);
  }

  #does<Given extends unknown[]>(
    work: (session: Session, ...given: Given) => Promise<Outcome>,
    recordedAs: string | null,
  ): this {
    this.recordedAs = recordedAs;
    return this.action((...given) => this.#run((session) => work(session, ...given as Given), this));
  }

  /** The option or the argument that gives the database a value of this name: `--ends` for `ends_at`. */
  wordFor(name: string): string | undefined {
    const words = [name, name.replace(/(_agent)?(_id|_at)$/, "")].map((word) => word.replaceAll("_", "-"));
    const argument = this.registeredArguments.find((argument) => argument.name() === name);
    return this.options.find((option) => words.includes(option.name()))?.long ?? (argument && `<${name}>`);
  }

  /** Throws commander's error with a suggestion; our own messages already contain one. */
  override error(message: string, _options?: ErrorOptions): never {
    const instead = this.commands.length > 0
      ? `Give one of: ${this.createHelp().visibleCommands(this).map((command) => command.name()).join(", ")}`
      : `As in: ${this.#example}`;
    const reason = message
      .replace(
        /^error: too many arguments.*/,
        `error: "${this.args.at(-1)}" is too much: quote what has spaces`,
      )
      .replace(/^error: unknown command '(.*)'/, 'error: there is no command "$1"')
      .replace(/^error: ([^]+?)\.?$/, (_, said) => `${said.replaceAll("\n", " ")}. ${instead}`);
    const usage = `usage: ${this.createHelp().commandUsage(this)}`;
    throw new UsageError(reason, `${usage}\n\nMore: ${commandLine(this)} --help`);
  }
}

/** The words that call a command: `npm run admin -- key create`. */
function commandLine(command: Command): string {
  return command.parent ? `${commandLine(command.parent)} ${command.name()}` : command.name();
}
