/** An answer that refuses a request; the server turns it into `{request_id, code, message}`. */
export class Problem extends Error {
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

export const notFound = (what: string): Problem => new Problem(404, `${what} not found`);
export const badRequest = (message: string): Problem => new Problem(400, message);
export const unprocessable = (message: string, code = ''): Problem => new Problem(422, message, { code });

/** 423: nothing happened, and the same request may be sent again. */
export const locked = (what: string): Problem =>
  new Problem(423, `${what} already has running conflicting operations, scheduling of new ones is prohibited`);
