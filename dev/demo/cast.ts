/** Who is in the world: agencies, people, vendors and orders. Agencies and some people are those of `seed.sql`. */

/** Password of every login. */
export const PASSWORD = "lead-intake-local";

/** The quick replies of each agency: the words of each shortcut. */
export const QUICK_REPLIES = {
  call: "Hi {first_name}, do you have ten minutes for a call today? {agent}, {agency}",
  license: "The license takes about two weeks, and {agency} pays for the course. Shall I send you the details?",
  remote: "Yes, the position is remote, {first_name}. All you need is a phone and a laptop.",
};

export interface Person {
  first: string;
  last: string;
  role?: "manager";
}

export interface Agency {
  id: string;
  name: string;
  timezone: string;
  /** Its number, from which recruits are texted. */
  phone: string;
  people: Person[];
  orders: Order[];
  /** Whether it has a system of its own, which is sent its leads. */
  hasSystem: boolean;
}

/** An order, with the settings of `create_order()` besides. */
export interface Order {
  name: string;
  vendor?: string;
  settings: Record<string, unknown>;
  /** What is changed once the leads are there. */
  later?: "nearly full" | "paused";
}

/** The operator of the seed. */
export const OPERATOR = "olivia.park@example.com";

export const GREETING =
  "Hi {first_name}, {agent} of {agency} here. Thanks for applying! When may I call you? Reply STOP to end.";

/** The order of the seed, which is Lakeshore's for the vendor `generic`. */
export const SEED_ORDER = "e0000001-0000-4000-8000-000000000001";

export const AGENCIES: Agency[] = [
  {
    id: "a0000001-0000-4000-8000-000000000001",
    name: "Lakeshore Insurance Group",
    hasSystem: true,
    timezone: "America/Chicago",
    phone: "+13125550100",
    people: people(
      "Dana Whitfield*, Maria Alvarez, James Okafor, Priya Raman, Owen Castillo, Grace Lindholm, Victor Hale",
    ),
    orders: [
      { name: "Indeed", vendor: "indeed", settings: { quantity: 90, priority: 20, greeting_template: GREETING } },
      {
        name: "the Midwest",
        settings: { quantity: 400, daily_cap: 60, states: ["IL", "IN", "WI"], greeting_template: GREETING },
      },
    ],
  },
  {
    id: "a0000002-0000-4000-8000-000000000002",
    name: "Summit Life Partners",
    hasSystem: false,
    timezone: "America/Denver",
    phone: "+17205550100",
    people: people("Ines Navarro*, Tom Becker, Caleb Stone, Hana Sato, Lucy Brandt"),
    orders: [
      {
        name: "ZipRecruiter",
        vendor: "ziprecruiter",
        settings: { quantity: 400, priority: 20, greeting_template: GREETING },
        later: "nearly full",
      },
      { name: "the Rockies", settings: { quantity: 300, states: ["CO", "UT", "AZ"], greeting_template: GREETING } },
      { name: "Colorado", settings: { quantity: 40, priority: 5, states: ["CO"] }, later: "paused" },
    ],
  },
  {
    id: "a0000003-0000-4000-8000-000000000003",
    name: "Harbor Mutual Agency",
    hasSystem: true,
    timezone: "America/New_York",
    phone: "+12125550100",
    people: people("Ruben Cole*, Aisha Grant, Noah Feld, Elena Moretti"),
    orders: [
      { name: "Meta", vendor: "meta", settings: { quantity: 300, priority: 20, greeting_template: GREETING } },
      { name: "the East", settings: { quantity: 300, states: ["NY", "NJ", "PA"], greeting_template: GREETING } },
      // The order before it wants the same leads and goes first, so this one gets nothing.
      { name: "New York", settings: { quantity: 25, priority: -5, states: ["NY"] } },
    ],
  },
];

/** Who is on holiday, and who leaves once the leads are there. */
export const ON_HOLIDAY = "Lucy Brandt";
export const LEAVES = "Victor Hale";

/** How a vendor's leads come. */
export type Kind = "key" | "indeed" | "standard" | "meta";

export interface Vendor {
  slug: string;
  name: string;
  kind: Kind;
  parser: string;
  config?: object;
  /** How many of ten leads come from it, and where its applicants live. */
  share: number;
  states: string[];
  /** Whether its applicants have agreed to texts. */
  consents: boolean;
}

/** The mapping of the career fairs, before they changed their form. */
const FAIR_MAPPING = {
  fields: {
    vendor_lead_id: "badge",
    full_name: "visitor.name",
    email: "visitor.email",
    phone: "visitor.phone",
    state: "visitor.state",
  },
};

const EVERYWHERE = ["IL", "IN", "WI", "CO", "UT", "AZ", "NY", "NJ", "PA"];

/** The vendor that falls silent while one watches. */
export const SILENT = "job-board";

export const VENDORS: Vendor[] = [
  {
    slug: "generic",
    name: "Bright Careers",
    kind: "key",
    parser: "generic",
    share: 2.2,
    states: ["IL", "IN", "WI", "IL", "TX"],
    consents: true,
  },
  {
    slug: "ziprecruiter",
    name: "ZipRecruiter",
    kind: "key",
    parser: "ziprecruiter",
    share: 1.8,
    states: EVERYWHERE,
    consents: true,
  },
  {
    slug: "indeed",
    name: "Indeed Apply",
    kind: "indeed",
    parser: "indeed",
    share: 1.8,
    states: EVERYWHERE,
    consents: true,
  },
  {
    slug: "meta",
    name: "Meta lead ads",
    kind: "meta",
    parser: "meta",
    share: 0.8,
    states: ["NY", "NJ", "PA", "NV"],
    consents: true,
  },
  {
    slug: "lead-house",
    name: "Lead House",
    kind: "standard",
    parser: "generic",
    share: 1.4,
    states: [...EVERYWHERE, "FL"],
    consents: false,
  },
  {
    slug: "career-fair",
    name: "Career fairs",
    kind: "key",
    parser: "mapping",
    config: FAIR_MAPPING,
    share: 1,
    states: EVERYWHERE,
    consents: false,
  },
  {
    slug: SILENT,
    name: "Job board",
    kind: "key",
    parser: "generic",
    share: 1,
    states: ["CO", "UT", "AZ", "TX"],
    consents: false,
  },
];

/** An area code for each state. */
export const AREA_CODES: Record<string, string> = {
  ...{ IL: "312", IN: "317", WI: "414", CO: "303", UT: "801", AZ: "602", NY: "212", NJ: "201", PA: "215" },
  ...{ TX: "512", FL: "305", NV: "702" },
};

export const FIRST_NAMES =
  ("Ada Ben Carla Derek Elsa Felix Gina Hugo Ivy Jamal Kara Liam Maya Nico Olga Paul Quinn Rosa Seth Tara Umar Vera Wes " +
    "Ximena Yara Zane Amira Boris Celia Diego Edith Farid Greta Henry Isla Jonas Kemi Lena Marco Nadia").split(" ");

export const LAST_NAMES =
  ("Abbott Barnes Chavez Dixon Ellis Flores Graham Hughes Ibarra Jensen Khan Lopez Mercer Nguyen Ortiz Patel Quist Reyes " +
    "Santos Tran Underwood Vargas Walsh Xiong Young Zapata").split(" ");

function people(names: string): Person[] {
  return names.split(", ").map((name) => {
    const [first, last] = name.replace("*", "").split(" ") as [string, string];
    return { first, last, ...(name.endsWith("*") && { role: "manager" as const }) };
  });
}

/** The address with which a person signs in. */
export function loginOf({ first, last }: Person): string {
  return `${first}.${last}@example.com`.toLowerCase();
}
