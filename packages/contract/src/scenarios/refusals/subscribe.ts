import assert from "node:assert/strict";
import { consume, type ErrorCode } from "@lab/core";
import type { ScenarioContext } from "../../context.ts";
import type { Scenario } from "../../scenario.ts";
import { labError } from "../../tools/errors.ts";
import { refusedSubscriber, type SubscribeRefusal } from "../../tools/faults.ts";
import { ResourceWatch } from "../../tools/resources.ts";

export const missingSource: Scenario = {
  name: "fails fast when the source is missing",
  needs: ({ missingSource }) => missingSource,
  run: (context) => failsFast(context, "missingSource", "SOURCE_MISSING"),
};

export const wrongCredentials: Scenario = {
  name: "fails fast when the credentials are wrong",
  needs: ({ wrongCredentials }) => wrongCredentials,
  run: (context) => failsFast(context, "wrongCredentials", "ACCESS_REFUSED"),
};

export const unreachable: Scenario = {
  name: "fails fast when the broker cannot be reached",
  needs: ({ unreachable }) => unreachable,
  run: (context) => failsFast(context, "unreachable", "BROKER_UNREACHABLE"),
};

async function failsFast(
  context: ScenarioContext,
  refusal: SubscribeRefusal,
  code: ErrorCode,
): Promise<void> {
  const resources = new ResourceWatch();
  context.defer(() => resources.stop());
  await resources.run(async () => {
    const { subscriber, source } = refusedSubscriber(context, refusal);
    const consuming = consume({
      subscriber: context.watch.subscriber(subscriber),
      source,
      handler: () => {},
    });
    // Should it be accepted after all, it must not stay open.
    consuming.then((consumer) => consumer.stop()).catch(() => {});
    await assert.rejects(
      context.within("the refusal", consuming),
      labError(code, code === "SOURCE_MISSING" ? source : ""),
    );
  });
  await context.until(
    "everything that the refused subscription opened to be closed",
    () => resources.alive().length === 0,
    () => resources.alive().join("\n"),
  );
}
