import assert from "node:assert/strict";
import { isPublicAddress, isPublicHost } from "./public_address.ts";

Deno.test("an address of a private, local or special network is not public", () => {
  for (
    const address of [
      "0.0.0.0",
      "10.1.2.3",
      "100.64.0.1",
      "127.0.0.1",
      "169.254.169.254",
      "172.16.0.1",
      "172.31.255.255",
      "192.168.1.1",
      "192.0.2.1",
      "198.18.0.1",
      "224.0.0.1",
      "255.255.255.255",
      "::",
      "::1",
      "::ffff:127.0.0.1",
      "::ffff:10.0.0.1",
      "64:ff9b::7f00:1",
      "fc00::1",
      "fd12:3456::1",
      "fe80::1",
      "ff02::1",
      "2001::1",
      "2001:db8::1",
      "2002:7f00:1::",
    ]
  ) assert.equal(isPublicAddress(address), false, address);
});

Deno.test("other addresses are public", () => {
  for (const address of ["1.1.1.1", "54.172.60.0", "172.15.0.1", "172.32.0.1", "192.167.0.1", "2606:4700::1111"]) {
    assert.equal(isPublicAddress(address), true, address);
  }
});

Deno.test("a host is public if all its addresses are public", async () => {
  assert.equal(await isPublicHost("localhost"), false);
  assert.equal(await isPublicHost("[::1]"), false);
  assert.equal(await isPublicHost("127.0.0.1"), false);
  // Another notation of 127.0.0.1 in a URL.
  assert.equal(await isPublicHost(new URL("https://2130706433/").hostname), false);
  assert.equal(await isPublicHost("1.1.1.1"), true);
  await assert.rejects(isPublicHost("nothing.invalid"));
});
