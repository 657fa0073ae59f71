/**
 * GitHub's limits, each with the page that states it. Nothing else in the sources repeats these numbers; `docs/internals/limits.md` says what
 * the action does about each.
 */
export const limits = {
  /**
   * The summary of one step, in bytes. A longer one is not shown at all.
   * https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands#step-isolation-and-limits
   */
  summaryBytes: 1024 * 1024,
  /**
   * A value that is to be an output of the job, in bytes. GitHub counts all outputs of the job together, in UTF-16.
   * https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-syntax#jobsjob_idoutputs
   */
  outputBytes: 1_000_000,
  /**
   * A comment, in characters. Stated only in the error of the API: "Body is too long (maximum is 65536 characters)".
   * https://docs.github.com/en/rest/issues/comments#create-an-issue-comment
   */
  commentCharacters: 65_536,
  /**
   * One annotation, in UTF-16 units. The runner cuts a longer one, in the log too.
   * https://github.com/actions/runner/blob/main/src/Runner.Worker/ExecutionContext.cs
   */
  annotationCharacters: 4_096,
} as const;
