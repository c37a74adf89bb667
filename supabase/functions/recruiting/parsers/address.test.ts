import assert from "node:assert/strict";
import { stateOfAddress } from "./address.ts";

for (
  const [address, state] of [
    ["123 Test Street\nNew York, NY 10001", "NY"],
    ["455 Broadway New York, NY 10280", "NY"],
    ["1 Congress Ave, Austin, TX 78701-1234", "TX"],
    ["1 Congress Ave\r\nAustin TX 78701\r\n", "TX"],
    ["1 Congress Ave, Austin, TX, 78701, USA", "TX"],
    ["1 Congress Ave, Austin, Texas 78701, United States", "TX"],
    ["1 Congress Ave, Austin, TX", "TX"],
    ["1 Congress Ave, Austin, tx", "TX"],
    ["1 Trade St, Winston-Salem, North Carolina", "NC"],
    ["Washington, D.C. 20001", "DC"],
    ["PO Box 1, Mobile, AL 36602 US", "AL"],
    ["1 Main St, Austin TX 78701 USA", "TX"],
    [`${"Building 7, ".repeat(100_000)}Reno, NV 89501`, "NV"],
    ["123 Fake St.", undefined],
    ["4 Privet Dr", undefined],
    ["5 Elm St NE", undefined],
    ["12 Main St\n5 Elm St NE", undefined],
    ["7 OAK CT", undefined],
    ["99-99 5th Ave.\nNew York, NY 101-11", undefined],
    ["5 Granville St, Vancouver, BC, CA", undefined],
    ["12 rue de Rivoli, 75001 Paris, France", undefined],
    ["TX", undefined],
    ["", undefined],
    ["\n".repeat(1_000_000), undefined],
  ] as const
) {
  const shown = JSON.stringify(address).slice(0, 50);
  Deno.test(`the state of the address ${shown} is ${state ?? "unknown"}`, () => {
    assert.equal(stateOfAddress(address), state);
  });
}
