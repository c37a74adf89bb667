import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { mappingQueries } from "../data/mapping.ts";
import { useVendorName } from "./vendor_name.ts";

/** Leads to the mapping of a vendor, with a delivery to try it on. Nothing for a vendor of another parser. */
export function MappingLink({ vendor, delivery }: { vendor: string; delivery?: string }) {
  const { data: vendors } = useQuery(mappingQueries.vendors());
  const nameOf = useVendorName();
  if (!vendors?.includes(vendor)) return null;
  return (
    <Link href={`/operator/mappings/${vendor}${delivery ? `/${delivery}` : ""}`}>
      Edit the mapping<span className="visually-hidden">of {nameOf(vendor)}</span>
    </Link>
  );
}

/** The vendors that have a mapping, also those that have sent nothing yet. */
export function Mappings() {
  const { data: vendors = [] } = useQuery(mappingQueries.vendors());
  const nameOf = useVendorName();
  if (vendors.length === 0) return null;
  return (
    <details>
      <summary>Vendors with a mapping: {vendors.length}</summary>
      <ul className="rows">
        {vendors.map((vendor) => (
          <li key={vendor}>
            <Link href={`/operator/mappings/${vendor}`}>{nameOf(vendor)}</Link>
          </li>
        ))}
      </ul>
    </details>
  );
}
