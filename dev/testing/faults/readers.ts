/** Users who read as fast as they can, as a page with a bug does, or a stolen password. */

/** One response of the API to such a user. */
export interface Refusal {
  status: number;
  retryAfter: string | null;
}

/** Joins leads and agents in a circle, which takes longer than a statement may. */
const IN_A_CIRCLE = "recruiting_leads?limit=1000&select=id,agents(id,recruiting_leads(id,agents(id,recruiting_leads(" +
  "id,vendor_metadata))))";

/**
 * Each user has so many requests under way at a time, until `seconds` are over.
 *
 * @param tokens the users' access tokens
 * @returns the responses, in the order in which they came
 */
export async function readTooMuch(
  { api_url, publishable_key }: { api_url: string; publishable_key: string },
  tokens: string[],
  atOnce: number,
  seconds: number,
): Promise<Refusal[]> {
  const responses: Refusal[] = [];
  const until = Date.now() + 1_000 * seconds;
  const read = async (token: string) => {
    while (Date.now() < until) {
      const response = await fetch(`${api_url}/rest/v1/${IN_A_CIRCLE}`, {
        headers: { apikey: publishable_key, authorization: `Bearer ${token}` },
      });
      await response.body?.cancel();
      responses.push({ status: response.status, retryAfter: response.headers.get("retry-after") });
    }
  };
  await Promise.all(tokens.flatMap((token) => Array.from({ length: atOnce }, () => read(token))));
  return responses;
}
