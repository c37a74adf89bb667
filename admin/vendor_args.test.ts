import assert from "node:assert/strict";
import { type Invocation, readInvocation, UsageError } from "./vendor_args.ts";

const NO_SETTINGS = {
  title: undefined,
  parser: undefined,
  configFile: undefined,
  isActive: undefined,
};
const LOCAL = { dbUrl: undefined, json: false };

for (
  const [line, expected] of [
    ["list", { command: { name: "list" }, ...LOCAL }],
    ["list --json", { command: { name: "list" }, ...LOCAL, json: true }],
    ["--json --db-url postgresql://x list", {
      command: { name: "list" },
      dbUrl: "postgresql://x",
      json: true,
    }],
    ["create fair --parser generic", {
      command: { name: "create", slug: "fair", settings: { ...NO_SETTINGS, parser: "generic" } },
      ...LOCAL,
    }],
    ["create fair --parser mapping --config m.json --name Fair", {
      command: {
        name: "create",
        slug: "fair",
        settings: { ...NO_SETTINGS, parser: "mapping", configFile: "m.json", title: "Fair" },
      },
      ...LOCAL,
    }],
    ["update fair --active false", {
      command: { name: "update", slug: "fair", settings: { ...NO_SETTINGS, isActive: false } },
      ...LOCAL,
    }],
    ["key create fair", {
      command: { name: "key create", slug: "fair", label: undefined, expiresAt: undefined },
      ...LOCAL,
    }],
    ["key create fair --label june --expires 2999-01-31", {
      command: {
        name: "key create",
        slug: "fair",
        label: "june",
        expiresAt: new Date("2999-01-31T00:00:00Z"),
      },
      ...LOCAL,
    }],
    ["key list fair", { command: { name: "key list", slug: "fair" }, ...LOCAL }],
    ["key revoke fair lik_abc", {
      command: { name: "key revoke", slug: "fair", key: "lik_abc" },
      ...LOCAL,
    }],
    ["parse fair lead.json", {
      command: { name: "parse", slug: "fair", file: "lead.json", settings: NO_SETTINGS },
      ...LOCAL,
    }],
  ] as [string, Invocation][]
) {
  Deno.test(`vendor ${line}`, () => {
    assert.deepEqual(readInvocation(line.split(" ")), expected);
  });
}

for (const line of ["", "--help", "-h", "create --help", "frob --help"]) {
  Deno.test(`vendor ${line} is a call for help`, () => {
    assert.equal(readInvocation(line === "" ? [] : line.split(" ")), null);
  });
}

for (
  const [line, message] of [
    ["frob", /no command "frob"/],
    ["key", /no command "key"/],
    ["key frob", /no command "key frob"/],
    ["constructor", /no command "constructor"/],
    ["list fair", /no place for "fair"/],
    ["create", /create: give the slug/],
    ["create fair", /create: give --parser/],
    ["create fair --parser", /--parser/],
    ["create fair --parser generic --active true", /create does not take --active/],
    ["create fair --parser generic --frob", /--frob/],
    ["update fair", /update: give what to change/],
    ["update fair --active maybe", /--active is true or false/],
    ["key create fair --expires someday", /--expires is a date/],
    ["key create fair --expires 2001-01-01", /--expires is in the past/],
    ["key revoke fair", /key revoke: give the first characters/],
    ["parse fair", /parse: give the payload\.json/],
    ["parse fair a.json b.json", /no place for "b.json"/],
  ] as const
) {
  Deno.test(`vendor ${line} is a mistake`, () => {
    assert.throws(
      () => readInvocation(line.split(" ")),
      (error) => error instanceof UsageError && message.test(error.message),
    );
  });
}
