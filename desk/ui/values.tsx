import { dateText, momentOf, Time } from "./time.tsx";

/** Any JSON as a list that people can read. Nulls are left out: they say nothing. */
export function Values({ of }: { of: Record<string, unknown> }) {
  const entries = Object.entries(of).filter(([, value]) => !isNothing(value)).sort(questionFirst);
  return (
    <dl className="values">
      {entries.map(([key, value]) => (
        <div key={key}>
          <dt>{labelOf(key)}</dt>
          <dd>
            <Value of={value} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** A value of any kind. A time stands there as everywhere on the page. */
export function Value({ of }: { of: unknown }) {
  if (Array.isArray(of)) {
    const items = of.filter((item) => !isNothing(item));
    if (items.every((item) => typeof item !== "object")) {
      return items.map((item) => dateText(item) ?? wordsOf(item)).join(", ");
    }
    return (
      <ul>
        {items.map((item, place) => (
          <li key={place}>
            <Value of={item} />
          </li>
        ))}
      </ul>
    );
  }
  if (typeof of === "object") return <Values of={of as Record<string, unknown>} />;
  const moment = momentOf(of);
  return moment === null ? dateText(of) ?? wordsOf(of) : <Time at={moment} />;
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
