/** A webhook's delivery, and what proves it. */
import type { Enums } from "../../_shared/database.types.ts";
import type { JsonObject } from "../../_shared/json.ts";
import type { VendorSettings } from "../ingest/vendor.ts";

/** The name of a scheme, of the list in supabase/schemas/vendors/tables.sql. */
export type WebhookScheme = Enums<"webhook_scheme">;

/** Why a request proves nothing, of the list in supabase/schemas/vendors/tables.sql. The sender is not told. */
export type Refusal = Enums<"proof_refusal">;

/** A vendor, and how it proves that a delivery is its own, as identify_webhook() returns it. */
export interface WebhookSettings extends VendorSettings, Webhook {
  /** Whether the leads of its notices are fetched. */
  fetches_leads: boolean;
}

/** The settings by which a vendor proves that a delivery is its own. */
export interface Webhook {
  scheme: WebhookScheme;
  /** `vendors.webhook_config`: what the scheme needs. */
  config: JsonObject;
  /** The valid secrets, the newest first. */
  secrets: WebhookSecret[];
}

/** A secret that is shared with a vendor. */
export interface WebhookSecret {
  id: string;
  /** `secret` proves deliveries. `verify_token` is what Meta sends with its challenge. */
  kind: "secret" | "verify_token";
  secret: string;
}

/** The parts of a request that can prove its sender. */
export interface WebhookRequest {
  headers: Headers;
  query: URLSearchParams;
  /** The bytes as received, because a signature covers them. */
  body: Uint8Array;
}

/** A delivery with what a signature may cover. */
export interface Received extends WebhookRequest {
  /**
   * The body, and the body with escaped characters where it has any beyond ASCII. LinkedIn and TikTok document that
   * they sign the second, and not that they also send it.
   */
  bodies: Uint8Array[];
}

/** The proof of a delivery. */
export interface Proof {
  /** The id of the secret. */
  secretId: string;
  /** The same when the delivery is repeated, and another for every other delivery; null where the scheme has none. */
  deliveryId: string | null;
  /** The body as it was signed, one of {@link Received.bodies}: the same signature proves bodies with other bytes. */
  body: Uint8Array;
}

/** Whether a secret proves a delivery; null: it does not. A wrong secret takes as long as the right one. */
export type SecretCheck = (secret: string) => Omit<Proof, "secretId"> | null;

/** Reads what a scheme needs from a delivery. Null where its configuration is incomplete. */
export type Scheme = (config: JsonObject, received: Received, now: Date) => SecretCheck | null;

/** The secrets of a kind, the newest first. An empty one would be known to everybody. */
export function usableSecrets(
  webhook: Webhook | null,
  kind: WebhookSecret["kind"],
): WebhookSecret[] {
  return webhook?.secrets.filter((one) => one.kind === kind && one.secret !== "") ?? [];
}
