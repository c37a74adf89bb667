import { useRef, useState } from "react";
import { Link } from "wouter";
import { useQuery } from "@tanstack/react-query";
import { operatorQueries, readAgain } from "../data/operator.ts";
import type { Group } from "../data/operator_rows.ts";
import { usePages } from "../data/pages.ts";
import { ConfirmButton } from "../ui/confirm.tsx";
import { countText } from "../ui/count.ts";
import { List } from "../ui/list.tsx";
import { Page } from "../ui/page.tsx";
import { EmptyState } from "../ui/query_result.tsx";
import { DeliveryRow } from "./delivery.tsx";
import { DismissAll } from "./dismiss_all.tsx";
import { MappingLink } from "./mapping_link.tsx";
import { ReplayAll, useReplayAll } from "./replay_all.tsx";
import { useVendorName } from "./vendor_name.tsx";

/** The open deliveries of a vendor that were rejected for one reason. */
export function GroupView({ group }: { group: Group }) {
  const query = usePages(operatorQueries.deliveries(group));
  const { data: known } = useQuery(operatorQueries.reason(group));
  const all = useReplayAll(group);
  const [report, setReport] = useState("");
  const notice = useRef<HTMLParagraphElement>(null);

  function onResolved(sentence: string): void {
    setReport(sentence);
    // The row with its button goes away.
    notice.current!.focus();
    void readAgain();
  }

  const passes = all.passing?.length;
  const nameOf = useVendorName();
  const current = known?.vendor ?? query.data?.[0]?.vendor;
  // It stays after the last delivery is replayed.
  const [vendor, setVendor] = useState(current);
  if (current !== undefined && current !== vendor) setVendor(current);
  return (
    <Page title={vendor === undefined ? "Rejected deliveries" : `Rejected deliveries of ${nameOf(vendor)}`}>
      <Link href="/operator/deliveries" className="back">All reasons</Link>
      <div className="section-head">
        <p>
          <strong>{group.reason}</strong>{" "}
          <small>{[group.code, ...new Set(query.data?.map(({ route }) => route))].join(", ")}</small>
        </p>
        {known && !all.isRunning && (
          <span className="buttons">
            <MappingLink vendor={known.vendor} reason={group.reason} deliveries={query.data} isPrimary={passes === 0} />
            <button
              type="button"
              className={passes === undefined ? "primary" : undefined}
              onClick={() => all.start(true)}
            >
              Dry run of all
            </button>
            <ConfirmButton
              label={passes ? `Replay the ${countText(passes)}` : `Replay all ${countText(known.deliveries)}`}
              className={passes ? "primary" : undefined}
              question={
                <p>
                  Each delivery is parsed again, and its lead is stored and distributed. This can't be undone. It is
                  noted with your name, and it stops when you leave this view.
                </p>
              }
              act={() => {
                setReport("");
                all.start(false, passes ? all.passing : undefined);
                return Promise.resolve();
              }}
            />
            <DismissAll group={group} known={known} onResolved={onResolved} />
          </span>
        )}
      </div>
      <ReplayAll of={all} />
      <p className="notice" role="status" tabIndex={-1} ref={notice}>{report}</p>
      <p className="quiet">
        A replay is refused for the same reason until the mapping, the parser or the vendor's payload has changed.
        {known?.sends && known.sends.length > 0 && ` The newest delivery sends ${known.sends.join(", ")}.`}{" "}
        A dry run changes nothing. What you read, try, replay or dismiss is noted with your name.
      </p>
      <List
        query={query}
        resource="deliveries"
        empty={<EmptyState title="None of these deliveries is open any more." />}
        keyOf={({ id }) => id}
        row={(delivery) => <DeliveryRow delivery={delivery} onResolved={onResolved} />}
      />
    </Page>
  );
}
