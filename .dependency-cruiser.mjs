/**
 * Imports between folders go one way, so that each folder can be read and changed without those above it.
 * `npm run imports` checks it.
 */

/**
 * The folders, and which others the files in each may import. A folder without a line belongs to the one above it. The
 * functions are deployed without the rest, so they import nothing of it.
 */
const SHARED = "supabase/functions/_shared";
const RECRUITING = "supabase/functions/recruiting";
const MAY_IMPORT = {
  [SHARED]: [],
  "supabase/functions/api": [SHARED],
  "supabase/functions/desk": [
    SHARED,
    "supabase/functions/api",
    `${RECRUITING}/ingest`,
    `${RECRUITING}/parsers`,
  ],
  [RECRUITING]: [SHARED, ...["fetches", "ingest", "sms", "webhooks"].map((name) => `${RECRUITING}/${name}`)],
  [`${RECRUITING}/fetches`]: [SHARED, `${RECRUITING}/ingest`, `${RECRUITING}/parsers`],
  [`${RECRUITING}/ingest`]: [SHARED, `${RECRUITING}/parsers`, `${RECRUITING}/resumes`],
  [`${RECRUITING}/parsers`]: [SHARED],
  [`${RECRUITING}/parsers/fixtures`]: [SHARED, `${RECRUITING}/parsers`],
  [`${RECRUITING}/resumes`]: [SHARED],
  [`${RECRUITING}/resumes/fixtures`]: [],
  [`${RECRUITING}/sms`]: [SHARED],
  [`${RECRUITING}/webhooks`]: [SHARED, ...["fetches", "ingest", "parsers"].map((name) => `${RECRUITING}/${name}`)],
  [`${RECRUITING}/webhooks/fixtures`]: [SHARED, `${RECRUITING}/webhooks`],
  "supabase/functions/worker": [SHARED, `${RECRUITING}/fetches`],
  "supabase/tests": ["supabase/functions", "dev/local", "dev/scripts", "dev/testing", "admin"],

  "admin/formats": [],

  "desk": [SHARED, "desk"],
  "desk/data": [SHARED, "admin/formats"],
  "desk/ui": [SHARED, "desk/data"],
  "desk/session": ["desk/data", "desk/ui"],
  // No view knows another.
  ...Object.fromEntries(
    ["home", "inbox", "recruits", "sales", "told", "operator", "presentation"]
      .map((view) => [`desk/${view}`, [SHARED, "desk/data", "desk/ui"]]),
  ),
  // Managers try the bot's script by the bot itself.
  "desk/settings": [SHARED, "desk/data", "desk/ui", "supabase/functions/worker"],

  "docs": ["supabase/functions", "dev/scripts"],
  "dev/local": ["supabase/functions"],
  "dev/scripts": ["supabase/functions", "dev/local"],
  "admin": ["supabase/functions", "dev/local", "admin/formats"],
  "dev/testing": ["supabase/functions", "dev/local", "dev/scripts"],
  "e2e": ["supabase/functions", "desk", "docs", "dev/local", "dev/scripts", "dev/testing", "admin"],
  "dev/bench": ["supabase/functions", "dev/local", "dev/scripts", "dev/testing", "admin"],
  "dev/chaos": ["dev/local", "dev/testing", "dev/bench", "e2e", "admin"],
  "dev/demo": ["supabase/functions", "dev/local", "dev/testing", "admin"],
};

/** The folders that tests may import besides, such as their fixtures or the stack they run on. */
const TESTS_MAY_IMPORT = {
  [`${RECRUITING}/parsers`]: [`${RECRUITING}/parsers/fixtures`],
  [`${RECRUITING}/resumes`]: [`${RECRUITING}/resumes/fixtures`],
  [`${RECRUITING}/webhooks`]: [`${RECRUITING}/webhooks/fixtures`],
  "dev/local": ["dev/testing"],
  "dev/scripts": ["dev/testing"],
  "dev/testing": ["e2e"],
  "dev/demo": ["dev/chaos", "e2e"],
};

const FOLDERS = Object.keys(MAY_IMPORT);
const TEST = "[.]test[.]tsx?$";

/** The files that belong to a line of the table: those of the folder, without folders that have a line of their own. */
function filesOf(folder) {
  const others = FOLDERS.filter((other) => other.startsWith(`${folder}/`)).map((other) =>
    other.slice(folder.length + 1)
  );
  return `^${folder}/` + (others.length > 0 ? `(?!(?:${others.join("|")})/)` : "");
}

/** What the files of a folder may import: a rule for its code, and one for its tests. */
function rulesOf([folder, others]) {
  const rule = (name, from, allowed) => ({
    name,
    severity: "error",
    from,
    to: {
      path: "^(admin|desk|dev|docs|e2e|supabase)/",
      pathNot: [filesOf(folder), ...allowed.map((other) => `^${other}/`)],
    },
  });
  const ofTests = [...others, ...TESTS_MAY_IMPORT[folder] ?? []];
  return [
    rule(
      `${folder} imports only ${others.join(", ") || "itself"}`,
      { path: filesOf(folder), pathNot: TEST },
      others,
    ),
    rule(`tests of ${folder} import only ${ofTests.join(", ") || "itself"}`, {
      path: `${filesOf(folder)}.*${TEST}`,
    }, ofTests),
  ];
}

export default {
  forbidden: [
    ...Object.entries(MAY_IMPORT).flatMap(rulesOf),
    {
      name: "each folder has a line in .dependency-cruiser.mjs",
      severity: "error",
      from: { path: "^(admin|desk|dev|docs|e2e|supabase)/", pathNot: FOLDERS.map((folder) => `^${folder}/`) },
      to: {},
    },
    {
      name: "nothing imports a test",
      severity: "error",
      from: {},
      to: { path: `^(admin|desk|dev|docs|e2e|supabase)/.*${TEST}` },
    },
    { name: "no file imports itself by way of others", severity: "error", from: {}, to: { circular: true } },
  ],
  options: { doNotFollow: { path: "node_modules" }, tsPreCompilationDeps: true },
};
