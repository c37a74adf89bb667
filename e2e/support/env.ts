/** Runs something with these variables in the environment, undefined for one that is not set, and puts the old ones back. */
export async function withEnv<Value>(
  variables: Record<string, string | undefined>,
  run: () => Promise<Value>,
): Promise<Value> {
  const before = Object.fromEntries(Object.keys(variables).map((name) => [name, Deno.env.get(name)]));
  setAll(variables);
  try {
    return await run();
  } finally {
    setAll(before);
  }
}

function setAll(variables: Record<string, string | undefined>): void {
  for (const [name, value] of Object.entries(variables)) {
    if (value === undefined) Deno.env.delete(name);
    else Deno.env.set(name, value);
  }
}
