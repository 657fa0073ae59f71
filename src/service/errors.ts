/** What was asked for is not done, with the reason and what to do next. What the service refuses is an `ApiError`. */
export class RefusedError extends Error {
  override readonly name: string = 'RefusedError';
  /** The exit code of a step that fails with it. */
  readonly exitCode: number;

  constructor(message: string, { exitCode = 1, ...options }: ErrorOptions & { exitCode?: number } = {}) {
    super(message, options);
    this.exitCode = exitCode;
  }
}
