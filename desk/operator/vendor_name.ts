import { useQuery } from "@tanstack/react-query";
import { operatorQueries } from "../data/operator.ts";

/** Gives the name of a vendor for its slug. The slug stands for it until the names are read. */
export function useVendorName(): (slug: string) => string {
  const { data: names } = useQuery(operatorQueries.vendorNames());
  return (slug) => slug === "import" ? "Imported sales leads" : names?.[slug] ?? slug;
}
