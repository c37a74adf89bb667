import { dateText, momentOf, Time } from "./time.tsx";

/** The fields of a JSON object as a list that people can read. Nulls are left out: they say nothing. */
export function JsonFields({ fields }: { fields: Record<string, unknown> }) {
  const entries = Object.entries(fields).filter(([, value]) => !isNothing(value)).sort(questionFirst);
  return (
    <dl className="values">
      {entries.map(([key, value]) => (
        <div key={key}>
          <dt>{labelOf(key)}</dt>
          <dd>
            <JsonValue value={value} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** A JSON value of any kind. A time has the form that it has everywhere on the page. */
export function JsonValue({ value }: { value: unknown }) {
  if (Array.isArray(value)) {
    const items = value.filter((item) => !isNothing(item));
    if (items.every((item) => typeof item !== "object")) {
      return items.map((item) => dateText(item) ?? wordsOf(item)).join(", ");
    }
    return (
      <ul>
        {items.map((item, place) => (
          <li key={place}>
            <JsonValue value={item} />
          </li>
        ))}
      </ul>
    );
  }
  if (typeof value === "object") return <JsonFields fields={value as Record<string, unknown>} />;
  const moment = momentOf(value);
  return moment === null ? dateText(value) ?? wordsOf(value) : <Time at={moment} />;
}

// The database orders the members of an object by their length.
function questionFirst([one]: [string, unknown], [other]: [string, unknown]): number {
  return Number(/question/i.test(other)) - Number(/question/i.test(one));
}

/** A value of an answer in words: "Yes", "Full time", "TX, OK", "5". */
export function wordsOf(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? "None" : value.map(wordsOf).join(", ");
  return typeof value === "boolean" ? value ? "Yes" : "No" : String(value);
}

/** An answer to the bot. A choice has its name as the script has it: `full_time`. */
export function answerOf(value: unknown): string {
  return typeof value === "string" && /^[a-z0-9_]+$/.test(value) ? labelOf(value) : wordsOf(value);
}

/** Whether nothing is left of a value once nulls and blanks are left out. */
function isNothing(value: unknown): boolean {
  if (value === null || value === "") return true;
  return typeof value === "object" && Object.values(value).every(isNothing);
}

/** A key as a label: `Test_Lead` and `testLead` are "Test lead". A question stays as it is. */
export function labelOf(key: string): string {
  if (key.includes(" ")) return key;
  const words = key.replace(/[_-]+/g, " ").replace(/([a-z])([A-Z])/g, "$1 $2").trim().toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
