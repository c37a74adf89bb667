import { lookup } from "node:dns/promises";
import { BlockList, isIPv6 } from "node:net";

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

/**
 * Returns whether all addresses of a host are public.
 *
 * @param hostname a name or an address, as in `URL.hostname`
 * @throws Error if the name has no address.
 */
export async function isPublicHost(hostname: string): Promise<boolean> {
  const addresses = await lookup(hostname.replace(/^\[|\]$/g, ""), { all: true });
  return addresses.every(({ address }) => isPublicAddress(address));
}

/** Returns whether an IP address is public. */
export function isPublicAddress(address: string): boolean {
  return isIPv6(address)
    ? publicV6.check(address, "ipv6") && !notPublicV6.check(address, "ipv6")
    : !notPublicV4.check(address, "ipv4");
}

function listOf(subnets: string[], family: "ipv4" | "ipv6"): BlockList {
  const list = new BlockList();
  for (const subnet of subnets) {
    const [address, prefix] = subnet.split("/");
    list.addSubnet(address!, Number(prefix), family);
  }
  return list;
}
