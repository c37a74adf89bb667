import { useId } from "react";
import { CallError } from "../data/client.ts";
import type { FoundField, MappingPreview } from "../data/mapping.ts";
import { Badge } from "../ui/badge.tsx";
import { JsonFields } from "../ui/json_value.tsx";
import { ErrorState } from "../ui/query_result.tsx";
import { Table } from "../ui/table.tsx";

/** One of them is required. */
const NAMES = ["first_name", "full_name"];

interface Preview {
  data: MappingPreview | undefined;
  error: Error | null;
  refetch: () => unknown;
}

/** Whether the shown payload would be read, above all else. */
export function MappingVerdict({ preview: { data }, isUnreadable }: { preview: Preview; isUnreadable: boolean }) {
  const isRefused = isUnreadable || data?.status === "refused";
  return (
    <p role="status" className={`notice ${isRefused ? "is-warn" : "is-good"}`}>
      {isUnreadable
        ? "There is no lead while the mapping cannot be read."
        : data?.status === "refused"
        ? `It would be refused: ${data.reason}.`
        : data?.status === "read" && "It would be read as this lead."}
    </p>
  );
}

/** The lead that the edited mapping makes of the payload. */
export function MappingResult({ preview: { data, error, refetch }, isOpen, isLate, isUnreadable }: {
  preview: Preview;
  /** Whether a payload is shown. */
  isOpen: boolean;
  /** Whether this is the answer to an older text. */
  isLate: boolean;
  /** Whether the mapping itself has a problem, which stands beside its field. */
  isUnreadable: boolean;
}) {
  const id = useId();
  return (
    <section aria-labelledby={id} aria-busy={isOpen && isLate}>
      <h2 id={id}>Lead</h2>
      {!isOpen && <p className="quiet">Show a payload to see what the mapping makes of it.</p>}
      {isUnreadable && <p className="quiet">None.</p>}
      {error !== null && !isUnreadable && (
        isGone(error)
          ? <p className="problem" role="alert">The payload is not open any more. Show it again.</p>
          : <ErrorState error={error} retry={refetch} />
      )}
      {data?.status === "read" && !isUnreadable && <Lead lead={data.lead} />}
      {data?.found && !isUnreadable && <Found fields={data.found} />}
    </section>
  );
}

/** Whether the payload was opened too long ago, or is not kept any more. */
function isGone(error: Error): boolean {
  return error instanceof CallError && error.status === 404;
}

/** What is at the paths of each field, also where that makes no lead. */
function Found({ fields }: { fields: FoundField[] }) {
  const isNameless = fields.every(({ field, value }) => !NAMES.includes(field) || value === null);
  return (
    <Table
      label="Fields of the mapping"
      query={{ data: fields, error: null, refetch: () => {} }}
      resource="fields"
      empty={null}
      keyOf={({ field }) => field}
      nameOf={({ field }) => field}
      columns={[
        { title: "Field", cell: ({ field }) => <code>{field}</code>, isHeader: true },
        {
          title: "Found",
          isSentence: true,
          cell: ({ field, path, value }) => (
            <span className="two-lines">
              {value ?? (isNameless && NAMES.includes(field)
                ? <Badge meaning="bad">required, nothing at</Badge>
                : <Badge meaning="warn">nothing at</Badge>)} <code>{path}</code>
            </span>
          ),
        },
      ]}
    />
  );
}

function Lead({ lead }: { lead: Record<string, unknown> }) {
  const { vendor_metadata, ...columns } = lead;
  const { vendor_fields, ...metadata } = vendor_metadata as Record<string, unknown>;
  return (
    <>
      <JsonFields fields={{ ...columns, ...metadata }} />
      {vendor_fields !== undefined && (
        <>
          <h3>Kept as sent</h3>
          <pre tabIndex={0} role="region" aria-label="Kept as sent">{JSON.stringify(vendor_fields, null, 2)}</pre>
        </>
      )}
    </>
  );
}
