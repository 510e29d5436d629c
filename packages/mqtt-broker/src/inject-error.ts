import { LabError, type PublishFailure } from "@lab/core";

/** Some messages of a batch were refused; all others were published. */
export class InjectError extends LabError {
  override readonly name: string = "InjectError";
  readonly failures: readonly PublishFailure[];

  constructor(total: number, failures: readonly PublishFailure[]) {
    const first = failures[0];
    super(
      "PUBLISH_FAILED",
      `${failures.length} of ${total} messages were refused; the first, at index ${first?.index}: ` +
        `${first?.error.message} All others were published; \`failures\` names the refused.`,
      { cause: first?.error },
    );
    this.failures = failures;
  }
}
