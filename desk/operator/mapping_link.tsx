import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { mappingQueries } from "../data/mapping.ts";
import type { RejectedDelivery } from "../data/operator_rows.ts";
import { useVendorName } from "./vendor_name.tsx";

/**
 * Leads to the mapping of a vendor, with one of these deliveries to try it on, if it is kept whole. For a vendor of
 * another parser `otherwise` stands there.
 */
export function MappingLink({ vendor, reason = "", deliveries = [], isPrimary = false, otherwise }: {
  vendor: string;
  /** Why they were rejected. */
  reason?: string;
  deliveries?: RejectedDelivery[];
  isPrimary?: boolean;
  otherwise?: ReactNode;
}) {
  const { data: vendors, isPending } = useQuery(mappingQueries.vendors());
  const nameOf = useVendorName();
  if (!vendors?.includes(vendor)) return isPending ? null : otherwise;
  const [, field] = /missing (\w+)$/.exec(reason) ?? [];
  const sample = deliveries.find(({ payload_kept }) => payload_kept === "whole");
  return (
    <Link
      href={`/operator/mappings/${vendor}${sample ? `/${sample.id}` : ""}`}
      className={isPrimary ? "button primary" : reason ? "button" : undefined}
    >
      {field ? `Map ${field}` : "Edit the mapping"} <span className="visually-hidden">of {nameOf(vendor)}</span>
    </Link>
  );
}
