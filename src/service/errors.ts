/** What was asked for is not done, with the reason and what to do next. What the service refuses is an `ApiError`. */
export class RefusedError extends Error {
  override readonly name: string = 'RefusedError';
}
