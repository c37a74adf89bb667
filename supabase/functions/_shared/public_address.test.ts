import assert from "node:assert/strict";
import { allowedAddresses, isPublicAddress } from "./public_address.ts";

Deno.test("an address of a private, local or special network is not public", () => {
  const special = `
    0.0.0.0 10.1.2.3 100.64.0.1 127.0.0.1 169.254.169.254 172.16.0.1 172.31.255.255 192.168.1.1
    192.0.2.1 198.18.0.1 224.0.0.1 255.255.255.255 :: ::1 ::ffff:127.0.0.1 ::ffff:10.0.0.1
    64:ff9b::7f00:1 fc00::1 fd12:3456::1 fe80::1 ff02::1 2001::1 2001:db8::1 2002:7f00:1::
  `;
  for (const address of special.trim().split(/\s+/)) {
    assert.equal(isPublicAddress(address), false, address);
  }
});

Deno.test("other addresses are public", () => {
  for (const address of ["1.1.1.1", "54.172.60.0", "172.15.0.1", "172.32.0.1", "192.167.0.1", "2606:4700::1111"]) {
    assert.equal(isPublicAddress(address), true, address);
  }
});

Deno.test("what is no address is not public", () => {
  for (const address of ["", "localhost", "1.1.1", "1.1.1.1:80", "[2606:4700::1111]"]) {
    assert.equal(isPublicAddress(address), false, address);
  }
});

Deno.test("a host is public if all its addresses are public", async () => {
  assert.equal(await allowedAddresses("localhost"), null);
  assert.deepEqual(await allowedAddresses("1.1.1.1"), ["1.1.1.1"]);
  await assert.rejects(allowedAddresses("nothing.invalid"));
});

/** Ways to write an address of a private network in a URL, some of which a check of the text would not know. */
const PRIVATE_HOSTS = [
  ...[
    "127.0.0.1",
    "127.0.0.1.",
    "127.1",
    "127.0.1",
    "2130706433",
    "0x7f000001",
    "0x7f.1",
    "0177.0.0.1",
    "017700000001",
  ],
  ...["127.0.0.0x1", "%31%32%37.0.0.1", "127。0。0。1", "①②⑦.⓪.⓪.①", "１２７.０.０.１"],
  ...["0", "0.0.0.0", "0x0", "10.0.0.1", "0xa000001", "012.1", "167772161", "172.16.1", "192.168.257", "0xc0a80001"],
  ...["169.254.169.254", "0xa9fea9fe", "2852039166", "0251.0376.0251.0376", "169.254.43518", "100.64.1"],
  ...["[::1]", "[0:0:0:0:0:0:0:1]", "[::]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[0:0:0:0:0:ffff:10.0.0.1]"],
  ...[
    "[::127.0.0.1]",
    "[::ffff:0:127.0.0.1]",
    "[64:ff9b::10.0.0.1]",
    "[64:ff9b:1::1]",
    "[2002:a00:1::]",
    "[2001:0:a00:1::]",
  ],
  ...["[fe80::1]", "[fec0::1]", "[fc00::1]", "[fd00:ec2::254]", "[FD00::A]", "[ff02::1]", "[100::1]", "[2001:db8::1]"],
  ...["localhost", "LOCALHOST"],
];

Deno.test("no notation of a private address is public", async () => {
  for (const host of PRIVATE_HOSTS) {
    const { hostname } = new URL(`https://${host}/`);
    assert.equal(await allowedAddresses(hostname), null, host);
  }
});

Deno.test("a host is resolved once, and refused if one of its addresses is not public", async () => {
  const asked: string[] = [];
  const resolve = (...addresses: string[]) => (hostname: string) => {
    asked.push(hostname);
    return Promise.resolve(addresses.map((address) => ({ address })));
  };
  const found = await allowedAddresses("hooks.example", { resolve: resolve("2606:4700::1111", "1.1.1.1", "1.0.0.1") });
  assert.deepEqual(found, ["1.1.1.1", "1.0.0.1", "2606:4700::1111"], "those of IPv4 come first");
  assert.equal(await allowedAddresses("hooks.example", { resolve: resolve("1.1.1.1", "10.0.0.1") }), null);
  assert.equal(await allowedAddresses("hooks.example", { resolve: resolve() }), null);
  assert.deepEqual(asked, Array(3).fill("hooks.example"));
});

Deno.test("on a local stack the addresses of this machine are allowed, and no others", async () => {
  for (const [hostname, expected] of [["127.0.0.1", ["127.0.0.1"]], ["[::1]", ["::1"]], ["10.0.0.1", null]] as const) {
    assert.deepEqual(await allowedAddresses(hostname, { reach: "local" }), expected);
  }
  assert.deepEqual(await allowedAddresses("10.0.0.1", { reach: "any" }), ["10.0.0.1"]);
});
