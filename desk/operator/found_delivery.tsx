import { useRef, useState } from "react";
import { Link } from "wouter";
import { useQuery } from "@tanstack/react-query";
import { operatorQueries, readAgain } from "../data/operator.ts";
import type { RejectedDelivery } from "../data/operator_rows.ts";
import { isId } from "../data/pages.ts";
import { Page } from "../ui/page.tsx";
import { EmptyState, QueryResult } from "../ui/query_result.tsx";
import { Time } from "../ui/time.tsx";
import { groupOf, pathOf } from "./deliveries.tsx";
import { DeliveryRow } from "./delivery.tsx";
import { MappingLink } from "./mapping_link.tsx";
import { useVendorName } from "./vendor_name.tsx";

/** One delivery, such as a search has found: what can be done with it, or what became of it. */
export function FoundDelivery({ id }: { id: string }) {
  const query = useQuery(operatorQueries.delivery(id));
  const [report, setReport] = useState("");
  const notice = useRef<HTMLParagraphElement>(null);

  function onResolved(sentence: string): void {
    setReport(sentence);
    // The row with its button goes away.
    notice.current!.focus();
    void readAgain();
  }

  const nameOf = useVendorName();
  const vendor = query.data?.vendor;
  return (
    <Page title={vendor === undefined ? "Rejected delivery" : `Rejected delivery of ${nameOf(vendor)}`}>
      <Link href="/operator/search" className="back">Search</Link>
      <p className="notice" role="status" tabIndex={-1} ref={notice}>{report}</p>
      {isId(id)
        ? (
          <QueryResult query={query} resource="delivery">
            {(delivery) => delivery === null ? <None /> : <Shown delivery={delivery} onResolved={onResolved} />}
          </QueryResult>
        )
        : <None />}
    </Page>
  );
}

function None() {
  return <EmptyState title="There is no such delivery.">It is kept for 30 days.</EmptyState>;
}

function Shown({ delivery, onResolved }: { delivery: RejectedDelivery; onResolved: (sentence: string) => void }) {
  const { code, reason, status, received_at, resolved_at, lead_id } = delivery;
  const rejected = (
    <>
      <strong>{reason}</strong> <small>{code}</small>
    </>
  );
  if (status !== "open") {
    return (
      <>
        <p>{rejected}</p>
        <p>
          Received <Time at={received_at!} />, {status} {resolved_at !== null && <Time at={resolved_at} />}.{" "}
          {lead_id !== null && <Link href={`/operator/search/${lead_id}`}>See the lead</Link>}
        </p>
      </>
    );
  }
  return (
    <>
      <p className="line">
        <span>{rejected}</span>
        <Link href={pathOf(groupOf({ vendor_id: delivery.vendor_id, code: code!, reason: reason! }))}>
          All deliveries of this reason
        </Link>
        <MappingLink vendor={delivery.vendor} deliveries={[delivery]} />
      </p>
      <ul className="rows">
        <DeliveryRow delivery={delivery} onResolved={onResolved} />
      </ul>
    </>
  );
}
