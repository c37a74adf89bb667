import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { mappingQueries } from "../data/mapping.ts";
import type { RejectedDelivery } from "../data/operator.ts";
import { useVendorName } from "./vendor_name.tsx";

/**
 * Leads to the mapping of a vendor, with one of these deliveries to try it on, if it is kept whole. Nothing for a vendor
 * of another parser.
 */
export function MappingLink({ vendor, reason = "", deliveries = [], isPrimary = false }: {
  vendor: string;
  /** Why they were rejected. */
  reason?: string;
  deliveries?: RejectedDelivery[];
  isPrimary?: boolean;
}) {
  const { data: vendors } = useQuery(mappingQueries.vendors());
  const nameOf = useVendorName();
  if (!vendors?.includes(vendor)) return null;
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
