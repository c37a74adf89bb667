import { useQuery } from "@tanstack/react-query";
import { operatorQueries } from "../data/operator.ts";
import { SelectField } from "../ui/filters.tsx";
import { wantedText } from "../ui/order_fill.tsx";

/** Gives the name of a vendor for its slug. The slug stands for it until the names are read. */
export function useVendorName(): (slug: string) => string {
  const { data: names } = useQuery(operatorQueries.vendorNames());
  return (slug) =>
    slug === "import" ? "Imported sales leads" : names?.find((vendor) => vendor.slug === slug)?.name ?? slug;
}

/** Gives the words for the leads that an order wants. */
export function useWanted(): (order: { vendor: string | null; states: string[] | null }) => string {
  const nameOf = useVendorName();
  return ({ vendor, states }) => wantedText({ vendor: vendor && nameOf(vendor), states });
}

/** Narrows a list in the address to a vendor, by its slug; `others` stand below the vendors. */
export function VendorField({ others = [] }: { others?: [slug: string, name: string][] }) {
  const { data: names = [] } = useQuery(operatorQueries.vendorNames());
  const options = names.map(({ slug, name }): [string, string] => [slug, name]);
  return <SelectField name="vendor" label="Vendor" all="All vendors" options={[...options, ...others]} />;
}
