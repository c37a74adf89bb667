/** A time zone such as `America/Chicago`, as "Central Time (Chicago)". */
export function zoneText(timeZone: string): string {
  const name = new Intl.DateTimeFormat("en-US", { timeZone, timeZoneName: "longGeneric" }).formatToParts()
    .find(({ type }) => type === "timeZoneName")?.value;
  return `${name} (${timeZone.split("/").at(-1)!.replaceAll("_", " ")})`;
}
