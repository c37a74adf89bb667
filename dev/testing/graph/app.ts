/** The app of the double, its page and the token of the page. */
export const GRAPH_APP = {
  id: "700000000000001",
  name: "Leads of the double",
  secret: "0123456789abcdef0123456789abcdef",
};

export const GRAPH_PAGE = { id: "102938475610293", name: "Careers at Acme" };

/** The token of a page for which nothing is missing. */
export const GRAPH_TOKEN = "EAAdoubleXpageXtoken";

/** The rights that fetching leads and reading the page's subscription needs. */
export const GRAPH_SCOPES = [
  "leads_retrieval",
  "pages_manage_metadata",
  "pages_show_list",
  "pages_read_engagement",
  "pages_manage_ads",
  "ads_management",
];

/** The settings with which functions and commands use a double on this port. */
export function graphSettings(port: number): Record<string, string> {
  return { META_GRAPH_BASE_URL: `http://127.0.0.1:${port}` };
}
