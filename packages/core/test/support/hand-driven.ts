import { AdapterDelivery, type AdapterSession } from "../../src/adapter/index.ts";
import type { Delivery, Outcome, Sink, Subscriber } from "../../src/index.ts";

/** An adapter without a broker: the test says what arrives, in which session, and when. */
export class HandDriven implements Subscriber {
  readonly capabilities: Subscriber["capabilities"] = {
    settles: "individually",
    nack: true,
    reject: true,
    deliveryCount: false,
    partitions: "key",
    resumes: false,
  };
  /** What was settled, in order: the message's text and the outcome. */
  readonly settled: [text: string, outcome: Outcome][] = [];
  /** Called from within each settle. */
  onSettle: (delivery: Delivery) => void = () => {};
  #sink: Sink | undefined;

  get sink(): Sink {
    if (this.#sink === undefined) throw new Error("nobody has subscribed");
    return this.#sink;
  }

  async subscribe(
    _source: string,
    _options: unknown,
    sink: Sink,
  ): ReturnType<Subscriber["subscribe"]> {
    this.#sink = sink;
    sink.connection("connected");
    return { stop: async () => {}, close: async () => {} };
  }

  deliver(session: AdapterSession, key: string | undefined, text: string): void {
    const message = { key, body: Buffer.from(text), destination: "q", headers: {} };
    this.sink.deliver(
      new AdapterDelivery(session, message, false, undefined, text, (delivery, outcome) => {
        this.settled.push([text, outcome]);
        this.onSettle(delivery);
      }),
    );
  }

  end(session: AdapterSession): void {
    session.end(new Error("ended by the test"));
    this.sink.sessionEnded(session);
  }
}
