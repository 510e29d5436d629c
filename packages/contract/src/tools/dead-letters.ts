import { type DeadLetter, type DeadLetterOptions, type Publisher, readDeadLetter } from "@lab/core";
import type { ScenarioContext } from "../context.ts";
import type { Ledger } from "../ledger.ts";
import type { TestSource } from "../rig.ts";
import { entryOf } from "./messages.ts";

/** A source for dead letters. */
export interface DeadLetterBox {
  /** To be given to `consume`. */
  readonly options: DeadLetterOptions;
  /** Takes out `count` dead letters, by their origin's body; fails when there are more or fewer. */
  read(count: number): Promise<DeadLetter[]>;
}

/** Dead letters that are confirmed are entered in `ledger`. */
export async function deadLetterBox(
  context: ScenarioContext,
  ledger: Ledger,
): Promise<DeadLetterBox> {
  const source = await context.createSource();
  const publisher = await context.publisher();
  return {
    options: { publisher: noting(publisher, ledger), destination: source.destination },
    read: (count) => read(context, source, count),
  };
}

function noting(publisher: Publisher, ledger: Ledger): Publisher {
  return {
    capabilities: publisher.capabilities,
    publish: async (destination, messages) => {
      await publisher.publish(destination, messages);
      for (const { body, key, headers = {} } of messages) {
        const letter = readDeadLetter({ body, key, headers, destination });
        if (letter === undefined) throw new Error("What was published is no dead letter.");
        try {
          const { key, seq } = entryOf({ ...letter, destination });
          ledger.deadLetter(key, seq);
        } catch {
          // An undecodable body is nothing that the ledger knows.
        }
      }
    },
    close: () => publisher.close(),
  };
}

async function read(
  context: ScenarioContext,
  source: TestSource,
  count: number,
): Promise<DeadLetter[]> {
  const { tap, subscription } = await context.tap(source, count + 1);
  await context.until(
    `${count} dead letters`,
    () => tap.deliveries.length >= count,
    () => `${tap.deliveries.length}`,
  );
  for (const delivery of tap.deliveries) delivery.settle("ack");
  await context.within("close", subscription.close());
  const left = await source.purge();
  const letters = tap.deliveries.map(({ message }) => readDeadLetter(message));
  if (letters.length !== count || left > 0) {
    throw new Error(`Expected ${count} dead letters, got ${letters.length + left}.`);
  }
  return letters.map((letter) => {
    if (letter === undefined) throw new Error("What arrived is no dead letter.");
    return letter;
  });
}
