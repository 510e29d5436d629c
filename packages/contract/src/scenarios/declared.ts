import assert from "node:assert/strict";
import type { Scenario } from "../scenario.ts";

export const declared: Scenario = {
  name: "declares what the adapter and the rig can do",
  async run(context) {
    const { capabilities: expected, rig } = context;
    const source = await context.createSource();
    const { settles, nack, reject, deliveryCount, partitions, resumes } = expected;
    assert.deepEqual(
      { ...source.subscriber().capabilities },
      { settles, nack, reject, deliveryCount, partitions, resumes },
      "the subscriber's capabilities",
    );
    const { headers, keys } = expected;
    const publisher = await context.publisher();
    assert.deepEqual(
      { ...publisher.capabilities },
      { headers, keys },
      "the publisher's capabilities",
    );
    const { deleteSource, cut, restart, missingSource, wrongCredentials } = expected;
    const { unreachable, refusedDestination, refusedMessage } = expected;
    assert.deepEqual(
      {
        deleteSource: source.delete !== undefined,
        cut: rig.faults.cut !== undefined,
        restart: rig.faults.restart !== undefined,
        missingSource: rig.refusals.missingSource !== undefined,
        wrongCredentials: rig.refusals.wrongCredentials !== undefined,
        unreachable: rig.refusals.unreachable !== undefined,
        refusedDestination: rig.refusals.refusedDestination !== undefined,
        refusedMessage: rig.refusals.refusedMessage !== undefined,
      },
      {
        deleteSource: deleteSource === true,
        cut: cut === true,
        restart: restart === true,
        missingSource: missingSource === true,
        wrongCredentials: wrongCredentials === true,
        unreachable: unreachable === true,
        refusedDestination: refusedDestination === true,
        refusedMessage: refusedMessage === true,
      },
      "what the rig can do",
    );
  },
};
