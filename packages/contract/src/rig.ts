import type { Publisher, Subscriber } from "@lab/core";

/** A place to consume from, made for one scenario and empty at first. */
export interface TestSource {
  /** What `consume` is given as `source`. */
  readonly source: string;
  /** What `publish` is given, so that the message arrives at the source. */
  readonly destination: string;
  /**
   * A subscriber of this source with a connection of its own. Members that are subscribed at the same time have
   * different numbers. The source must keep what is published before the first member subscribes.
   */
  subscriber(member?: number): Subscriber;
  /**
   * Takes out whatever the broker still holds for this source, messages in flight included, and says how many it was.
   * Called when no member is subscribed.
   */
  purge(): Promise<number>;
}

/** Faults by call. Leave out what the broker or its set-up cannot do: the scenarios that need it are skipped, printed. */
export interface Faults {
  /** Cuts every connection of the rig's clients at once, without a goodbye. The broker lives on. */
  cut?(): Promise<void>;
  /** Stops the broker hard and starts it again with its data; resolves when it accepts connections. */
  restart?(): Promise<void>;
}

/** Ways to be refused. Leave out what the broker cannot be made to do. */
export interface Refusals {
  /** A source that does not exist, where the broker does not create sources on its own. */
  missingSource?(): { subscriber: Subscriber; source: string };
  wrongCredentials?(): { subscriber: Subscriber; source: string };
  /** A broker that is not there: nothing listens at the address. */
  unreachable?(): { subscriber: Subscriber; source: string };
  /** A destination to which publishing fails, and one bad message among good ones where the broker refuses by message. */
  refusedDestination?(): string;
}

/** One broker and one adapter, ready to be tested. */
export interface Rig {
  /** Shown in reports: `mosquitto`, `memory`. */
  readonly broker: string;
  readonly brokerVersion: string;
  /** False for embedded brokers, simulators and test doubles. */
  readonly real: boolean;
  createSource(name: string): Promise<TestSource>;
  /** A publisher with a connection of its own; the caller closes it. */
  publisher(): Promise<Publisher>;
  readonly faults: Faults;
  readonly refusals: Refusals;
  close(): Promise<void>;
}
