/** Thrown by a handler; the server sends it as `{request_id, code, message}`. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly headers: Record<string, string>;

  constructor(status: number, message: string, { code = '', headers = {} as Record<string, string> } = {}) {
    super(message);
    this.name = 'Problem';
    this.status = status;
    this.code = code;
    this.headers = headers;
  }
}

export const notFound = (what: string): ApiError => new ApiError(404, `${what} not found`);
export const badRequest = (message: string): ApiError => new ApiError(400, message);
export const unprocessable = (message: string, code = ''): ApiError => new ApiError(422, message, { code });

/** 423: nothing was changed, and the client may retry. */
export const locked = (what: string): ApiError =>
  new ApiError(423, `${what} already has running conflicting operations, scheduling of new ones is prohibited`);
