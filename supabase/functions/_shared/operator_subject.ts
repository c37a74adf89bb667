/** How many ids of an action a person is shown. */
const SHOWN = 3;

/** The subject of an operator's action in words: its members, with the first ids of many. */
export function describeSubject(subject: Record<string, unknown>): string {
  return Object.entries(subject).map(([name, value]) => {
    if (value === true) return name;
    const values = Array.isArray(value)
      ? value
      : typeof value === "object"
      ? Object.entries(value!).map(([column, set]) => `${column}=${Array.isArray(set) ? set.join(" ") : set ?? "none"}`)
      : [value];
    const more = Array.isArray(value) ? values.length - SHOWN : 0;
    const shown = more > 0 ? [...values.slice(0, SHOWN), `${more} more`] : values;
    return `${name} ${shown.join(", ") || "none"}`;
  }).join("; ");
}
