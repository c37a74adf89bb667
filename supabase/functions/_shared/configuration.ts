/**
 * The value of an environment variable that must be set, without spaces around it.
 *
 * @throws {ConfigurationError} with its name, when it is unset or blank
 */
export function requiredEnv(name: string): string {
  const value = Deno.env.get(name)?.trim();
  if (!value) throw new ConfigurationError(`${name} is not set`);
  return value;
}

/** An environment variable is missing or wrong. The message holds no value, so it may be logged. */
export class ConfigurationError extends Error {
  override readonly name = "ConfigurationError";
  /** The log shows the code of an error and never its message. */
  readonly code = this.message;
}
