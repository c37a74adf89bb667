/**
 * The project's address and its publishable key, as `npm start` prints them. Anyone who opens the page can read both.
 * A secret key or the service role's key must never stand here.
 */
export const config = {
  url: "http://127.0.0.1:54321",
  publishableKey: "sb_publishable_…",
};
