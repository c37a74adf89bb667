/** A time zone such as `America/Chicago`, as "Central Time (Chicago)". */
export function zoneText(timeZone: string): string {
  const name = new Intl.DateTimeFormat("en-US", { timeZone, timeZoneName: "longGeneric" }).formatToParts()
    .find(({ type }) => type === "timeZoneName")?.value;
  return `${name} (${timeZone.split("/").at(-1)!.replaceAll("_", " ")})`;
}

/** Hours of a day such as `09:00-18:00`, as "9:00 AM to 6:00 PM". */
export function hoursText(hours: string): string {
  return hours.split("-").map((time) =>
    new Date(`1970-01-01T${time}`).toLocaleTimeString("en-US", { hour: "numeric", minute: "2-digit" })
  ).join(" to ");
}
