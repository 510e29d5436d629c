import type { OutgoingMessage, Publisher, Subscriber } from "@lab/core";

/** How a subscriber of the rig is set up, where the suite cares. */
export interface SubscriberTuning {
  /** As declared in `capabilities.keepAliveMs`. Without it: long enough not to matter on a loaded machine. */
  readonly keepAliveMs?: number;
}

/** A place to consume from, made for one scenario and empty at first. */
export interface TestSource {
  /** What `consume` is given as `source`. */
  readonly source: string;
  /** What `publish` is given, so that the message arrives at the source. */
  readonly destination: string;
  /**
   * A subscriber of this source with a connection of its own. Members that are subscribed at the same time have
   * different numbers; a member that subscribes again gets what it left unsettled. The source must keep what is
   * published before the first member subscribes. @default member 0
   */
  subscriber(member?: number, tuning?: SubscriberTuning): Subscriber;
  /**
   * Takes out whatever the broker still holds for this source and its members, messages in flight included, and says
   * how many it was. Called when no member is subscribed. The source can be used again afterwards.
   */
  purge(): Promise<number>;
  /**
   * Deletes the source at the broker, while members are subscribed. Nothing more is asked of it then. Leave it out where
   * the broker has nothing to delete.
   */
  delete?(): Promise<void>;
}

/** Faults by call. Leave out what the broker or its set-up cannot do: the scenarios that need it are skipped, printed. */
export interface Faults {
  /**
   * Cuts every connection of the rig's clients, publishers included, without a goodbye. The broker lives on. Resolves
   * when they are cut; the clients come back by themselves.
   */
  cut?(): Promise<void>;
  /**
   * Stops the broker as hard as its set-up claims to survive and starts it again with its data; resolves when it
   * accepts connections.
   */
  restart?(): Promise<void>;
}

/** Ways to be refused. Leave out what the broker cannot be made to do. */
export interface Refusals {
  /** A source that does not exist, where the broker does not create sources on its own. */
  missingSource?(): { subscriber: Subscriber; source: string };
  wrongCredentials?(): { subscriber: Subscriber; source: string };
  /** A broker that is not there: nothing listens at the address. */
  unreachable?(): { subscriber: Subscriber; source: string };
  /** A destination to which the rig's publishers cannot publish: each message of a batch fails. */
  refusedDestination?(): string;
  /** A message that fails among good ones for a good destination: too large, for example. */
  refusedMessage?(): OutgoingMessage;
}

/** One broker and one adapter, ready to be tested. Its faults touch no other rig: stress mode runs several at once. */
export interface Rig {
  /** Shown in reports: `mosquitto`, `memory`. */
  readonly broker: string;
  readonly brokerVersion: string;
  /** False for embedded brokers, simulators and test doubles. */
  readonly real: boolean;
  /** `name` is unique, at most 64 characters of a-z, 0-9 and "-"; it must be found in what the broker logs. */
  createSource(name: string): Promise<TestSource>;
  /** A publisher with a connection of its own; the caller closes it. */
  publisher(): Promise<Publisher>;
  readonly faults: Faults;
  readonly refusals: Refusals;
  close(): Promise<void>;
}
