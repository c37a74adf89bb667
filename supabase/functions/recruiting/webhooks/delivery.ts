/** A webhook's delivery and its proof. */
import type { Enums } from "../../_shared/database.types.ts";
import type { JsonObject } from "../../_shared/json.ts";
import type { VendorSettings } from "../ingest/vendor.ts";

/** The name of a scheme, as listed in supabase/schemas/vendors/tables.sql. */
export type WebhookScheme = Enums<"webhook_scheme">;

/**
 * Why a request proves nothing, as listed in supabase/schemas/vendors/tables.sql. The sender never learns the reason.
 */
export type Refusal = Enums<"proof_refusal">;

/** A vendor and the settings of its webhook, as identify_webhook() returns them. */
export interface WebhookSettings extends VendorSettings, Webhook {
  /** Whether the leads of the vendor's notices are fetched. */
  fetches_leads: boolean;
}

/** The settings that verify a vendor's deliveries. */
export interface Webhook {
  scheme: WebhookScheme;
  /** `vendors.webhook_config`: the settings of the scheme. */
  config: JsonObject;
  /** The valid secrets, the newest first. */
  secrets: WebhookSecret[];
}

/** A secret shared with a vendor. */
export interface WebhookSecret {
  id: string;
  /** `secret` proves deliveries. Meta sends `verify_token` with its challenge. */
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

/** A delivery and the bytes that a signature may cover. */
export interface Received extends WebhookRequest {
  /**
   * The body, and, if it has non-ASCII characters, the body with these characters escaped. LinkedIn and TikTok document
   * that they sign the escaped form, but not that they send it.
   */
  bodies: Uint8Array[];
}

/** The proof of a delivery. */
export interface Proof {
  /** The id of the secret. */
  secretId: string;
  /** The same if the delivery is repeated, and unique among other deliveries; null if the scheme has none. */
  deliveryId: string | null;
  /** The body as it was signed, one of {@link Received.bodies}: the same signature proves bodies with other bytes. */
  body: Uint8Array;
}

/** Returns the proof if a secret proves a delivery, otherwise null. A wrong secret takes as long as the correct one. */
export type SecretCheck = (secret: string) => Omit<Proof, "secretId"> | null;

/** Reads the parts of a delivery that a scheme needs. Returns null if its configuration is incomplete. */
export type Scheme = (config: JsonObject, received: Received, now: Date) => SecretCheck | null;

/** Returns the secrets of a kind, the newest first. An empty secret would be known to everybody. */
export function usableSecrets(
  webhook: Webhook | null,
  kind: WebhookSecret["kind"],
): WebhookSecret[] {
  return webhook?.secrets.filter((one) => one.kind === kind && one.secret !== "") ?? [];
}
