import { isAuthError } from "@supabase/supabase-js";
import * as z from "zod";
import type { RequestContext } from "../_shared/app.ts";
import { readJson } from "../_shared/body/json.ts";
import { serviceClient } from "../_shared/database.ts";
import { ApiError, internalError } from "../_shared/errors.ts";
import type { JsonObject } from "../_shared/json.ts";
import { pastedUrl } from "../_shared/public_url.ts";
import { KIB } from "../_shared/units.ts";
import { must, requireValidBody, uuid } from "../_shared/validate.ts";
import { prepareUser, sendInvitation, type WaitingUser } from "./invited_user.ts";
import { inviteAgent } from "./operator.ts";

/** The database checks the person, and names what is wrong. */
const invitation = z.looseObject({ agency_id: uuid.optional() }, { error: must("be a JSON object") });

/**
 * POST /desk/invitations: makes an agent and its login, and has the auth service send the e-mail. The agent is stored
 * last, so that there is none without its invitation. A repeated request sends another e-mail until the link was used.
 */
export async function invite({ request, body: incoming }: RequestContext): Promise<Response> {
  const { body } = await readJson(incoming, 16 * KIB);
  const { agency_id = null, ...rest } = requireValidBody(invitation, body);
  const person = rest as JsonObject;
  const { agent_id, email, user_id, user_email } = await inviteAgent(request, { agency_id, person });

  const waiting: WaitingUser | undefined = user_id === null ? undefined : { id: user_id, email: user_email! };
  const { admin } = serviceClient().auth;
  let invited: string;
  try {
    invited = await prepareUser(admin, waiting, agent_id, email);
    const desk = pastedUrl(Deno.env.get("DESK_URL") ?? "");
    await sendInvitation(admin, email, desk === "" ? undefined : `${desk}/`);
  } catch (error) {
    throw refusal(error);
  }
  await inviteAgent(request, { agency_id, person, user_id: invited });
  return Response.json({ agent_id, status: waiting === undefined ? "invited" : "invited_again" });
}

/** Why the auth service has sent nothing. */
function refusal(error: unknown): unknown {
  if (!isAuthError(error)) return error;
  if (error.status === 429) {
    return new ApiError("TOO_MANY_REQUESTS", "the auth service sends no more e-mails for now; try again later");
  }
  if (/^(email_exists|user_already_exists)$/.test(error.code ?? "")) {
    return new ApiError("CONFLICT", "email: somebody else has invited the same address meanwhile. Try again");
  }
  if (/^(email_address_|validation_failed)/.test(error.code ?? "")) {
    const message = "the auth service does not accept this address";
    return new ApiError("BAD_REQUEST", `email: ${message}`, { details: [{ field: "email", message }] });
  }
  return internalError(error);
}
