import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { mappingQueries } from "../data/mapping.ts";
import { useVendorName } from "./vendor_name.tsx";

/** Leads to the mapping of a vendor, with a delivery to try it on. Nothing for a vendor of another parser. */
export function MappingLink({ vendor, delivery }: { vendor: string; delivery?: string }) {
  const { data: vendors } = useQuery(mappingQueries.vendors());
  const nameOf = useVendorName();
  if (!vendors?.includes(vendor)) return null;
  return (
    <Link href={`/operator/mappings/${vendor}${delivery ? `/${delivery}` : ""}`}>
      Edit the mapping <span className="visually-hidden">of {nameOf(vendor)}</span>
    </Link>
  );
}
