/**
 * Returns the value of a required environment variable, trimmed.
 *
 * @throws {ConfigurationError} with its name, if it is unset or blank
 */
export function requiredEnv(name: string): string {
  const value = Deno.env.get(name)?.trim();
  if (!value) throw new ConfigurationError(`${name} is not set`);
  return value;
}

/** An environment variable is missing or invalid. The message never contains its value, so it may be logged. */
export class ConfigurationError extends Error {
  override readonly name = "ConfigurationError";
  /** The log contains the code of an error, never its message. */
  readonly code = this.message;
}
