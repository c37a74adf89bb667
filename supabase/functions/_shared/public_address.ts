import { lookup } from "node:dns/promises";
import { BlockList, isIPv4, isIPv6 } from "node:net";

/**
 * The addresses that are not public: https://www.iana.org/assignments/iana-ipv4-special-registry and
 * https://www.iana.org/assignments/iana-ipv6-special-registry.
 */
const NOT_PUBLIC_V4 = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/3",
];

/**
 * For IPv6, only the allocated range 2000::/3, except for special-purpose blocks and blocks that embed IPv4 addresses.
 */
const PUBLIC_V6 = ["2000::/3"];
const NOT_PUBLIC_V6 = ["2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"];

const notPublicV4 = listOf(NOT_PUBLIC_V4, "ipv4");
const publicV6 = listOf(PUBLIC_V6, "ipv6");
const notPublicV6 = listOf(NOT_PUBLIC_V6, "ipv6");

/** The addresses to which a request may go: public ones, also those of this machine, or all. */
export type Reach = "public" | "local" | "any";

/** Resolves a name, as the lookup() of node:dns does. */
export type Resolve = (hostname: string, options: { all: true }) => Promise<{ address: string }[]>;

/**
 * Resolves a host once. A caller that connects to one of these addresses cannot be led elsewhere by a second answer of
 * the name server.
 *
 * @param hostname a name or an address, as in `URL.hostname`, which has one notation for each address
 * @param options `reach`: which addresses are allowed; `local`: those of this machine too
 * @returns its addresses, those of IPv4 first; null unless all of them are allowed
 * @throws Error if the name has no address.
 */
export async function allowedAddresses(
  hostname: string,
  { reach = "public", resolve = lookup }: { reach?: Reach; resolve?: Resolve } = {},
): Promise<string[] | null> {
  const found = await resolve(hostname.replace(/^\[|\]$/g, ""), { all: true });
  const addresses = found.map(({ address }) => address).sort((one, other) =>
    Number(isIPv6(one)) - Number(isIPv6(other))
  );
  const isAllowed = (address: string) =>
    reach === "any" || isPublicAddress(address) || reach === "local" && isLocal(address);
  return addresses.length > 0 && addresses.every(isAllowed) ? addresses : null;
}

/** Returns whether an IP address is public. */
export function isPublicAddress(address: string): boolean {
  if (isIPv6(address)) return publicV6.check(address, "ipv6") && !notPublicV6.check(address, "ipv6");
  return isIPv4(address) && !notPublicV4.check(address, "ipv4");
}

function isLocal(address: string): boolean {
  return address === "::1" || /^127\./.test(address);
}

function listOf(subnets: string[], family: "ipv4" | "ipv6"): BlockList {
  const list = new BlockList();
  for (const subnet of subnets) {
    const [address, prefix] = subnet.split("/");
    list.addSubnet(address!, Number(prefix), family);
  }
  return list;
}
