/**
 * The errors a caller can see. Every failing answer has the body
 * `{"error": {"code", "message", "details"?}, "request_id"}`.
 */

/** Error codes and the HTTP status each is answered with. */
export const STATUS_OF_CODE = {
  BAD_REQUEST: 400,
  UNAUTHORIZED: 401,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  TOO_MANY_REQUESTS: 429,
  INTERNAL_ERROR: 500,
} as const;

/** One of the codes of the error table. */
export type ErrorCode = keyof typeof STATUS_OF_CODE;

/** What one wrong field of a request body is, as listed in `error.details`. */
export interface FieldProblem {
  /** Path of the field, e.g. `leads.0.phone`; empty for the body itself. */
  field: string;
  message: string;
}

/**
 * An answer other than success. Throw it anywhere below a route; the router turns it into the response.
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

  /** The HTTP status this error is answered with. */
  get status(): number {
    return STATUS_OF_CODE[this.code];
  }

  /** The answer, in the one error shape of every route. */
  toResponse(requestId: string): Response {
    const { code, message, details } = this;
    return Response.json(
      { error: { code, message, ...(details && { details }) }, request_id: requestId },
      { status: this.status, headers: this.headers },
    );
  }
}

/** The INTERNAL_ERROR answer, which says nothing of the inside; `cause` is for the log alone. */
export function internalError(cause: unknown): ApiError {
  return new ApiError(
    "INTERNAL_ERROR",
    "the request could not be completed; send the same request again",
    { cause },
  );
}
