import assert from "node:assert/strict";
import { stateOfAddress } from "./address.ts";

const ADDRESSES: [state: string | undefined, ...addresses: string[]][] = [
  ["NY", "123 Test Street\nNew York, NY 10001", "455 Broadway New York, NY 10280"],
  [
    "TX",
    ...["1 Congress Ave, Austin, TX 78701-1234"],
    ...["1 Congress Ave\r\nAustin TX 78701\r\n"],
    ...["1 Congress Ave, Austin, TX, 78701, USA"],
    ...["1 Congress Ave, Austin, Texas 78701, United States"],
    ...["1 Congress Ave, Austin, TX", "1 Congress Ave, Austin, tx"],
    ...["1 Main St, Austin TX 78701 USA"],
  ],
  ["NC", "1 Trade St, Winston-Salem, North Carolina"],
  ["DC", "Washington, D.C. 20001"],
  ["AL", "PO Box 1, Mobile, AL 36602 US"],
  ["NV", `${"Building 7, ".repeat(100_000)}Reno, NV 89501`],
  [
    undefined,
    ...["123 Fake St.", "4 Privet Dr", "5 Elm St NE", "12 Main St\n5 Elm St NE"],
    ...["7 OAK CT", "99-99 5th Ave.\nNew York, NY 101-11"],
    ...["5 Granville St, Vancouver, BC, CA"],
    ...["12 rue de Rivoli, 75001 Paris, France", "TX", ""],
    ...["\n".repeat(1_000_000)],
  ],
];
Deno.test("the state of an address is at its end", () => {
  for (const [state, ...addresses] of ADDRESSES) {
    for (const address of addresses) {
      assert.equal(stateOfAddress(address), state, address.slice(0, 50));
    }
  }
});
