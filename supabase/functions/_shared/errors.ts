/**
 * The errors that a caller can see. The body of every error response is
 * `{"error": {"code", "message", "details"?}, "request_id"}`.
 */

/** The error codes, each with its HTTP status. */
export const STATUS_OF_CODE = {
  BAD_REQUEST: 400,
  UNAUTHORIZED: 401,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  REQUEST_TIMEOUT: 408,
  CONFLICT: 409,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  IDEMPOTENCY_KEY_REUSED: 422,
  TOO_MANY_REQUESTS: 429,
  INTERNAL_ERROR: 500,
} as const;

/** The code of an error response. */
export type ErrorCode = keyof typeof STATUS_OF_CODE;

/** An invalid field of a request body, as listed in `error.details`. */
export interface FieldProblem {
  /** Path of the field, e.g. `leads.0.phone`; empty for the body itself. */
  field: string;
  message: string;
  /** A machine-readable form of the message. */
  code?: "MAY_HAVE_BEEN_STORED";
}

/**
 * Ends the request with an error response. Thrown anywhere below a route; the app turns it into a response.
 *
 * @example
 * throw new ApiError("BAD_REQUEST", "first_name is missing");
 */
export class ApiError extends Error {
  readonly code: ErrorCode;
  readonly details: FieldProblem[] | undefined;
  readonly headers: Record<string, string>;

  constructor(
    code: ErrorCode,
    message: string,
    options: { details?: FieldProblem[]; headers?: Record<string, string>; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
    this.name = "ApiError";
    this.code = code;
    this.details = options.details;
    this.headers = options.headers ?? {};
  }

  /** The HTTP status of the response. */
  get status(): number {
    return STATUS_OF_CODE[this.code];
  }

  /** The response, in the error shape of all routes. */
  toResponse(requestId: string): Response {
    const { code, message, details } = this;
    return Response.json(
      { error: { code, message, ...(details && { details }) }, request_id: requestId },
      { status: this.status, headers: this.headers },
    );
  }
}

/** An INTERNAL_ERROR. The cause is logged and never returned to the caller. */
export function internalError(cause: unknown): ApiError {
  return new ApiError(
    "INTERNAL_ERROR",
    "the request could not be completed; send the same request again",
    { cause },
  );
}
