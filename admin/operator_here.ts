/** The user of this computer, as it says itself; null where it does not. */
export function operatorHere(): string | null {
  const name = Deno.env.get("USER") ?? Deno.env.get("USERNAME") ?? "";
  return name.trim().slice(0, 128) || null;
}
