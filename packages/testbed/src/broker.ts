import type { BrokerName } from "./kinds/index.ts";

/**
 * Where a broker comes from, in the order in which they are considered:
 * - `running`: it was there already; the environment has its URL (`MQTT_URL`).
 * - `docker`: a container from `docker/compose.yaml`, when an engine answers.
 * - `native`: a server installed on this machine, with a port and data folder of its own.
 * - `embedded`: a broker in this process, written in JavaScript. Not a real broker: `real` is false.
 */
export type How = "running" | "docker" | "native" | "embedded";

export interface Credentials {
  readonly username: string;
  readonly password: string;
}

export interface StartOptions {
  /** Refuses embedded brokers. Default false. */
  readonly real?: boolean | undefined;
  /** Considers this way only. Default: the first of all four that can do what is asked. */
  readonly how?: How | undefined;
  /** The broker refuses everybody else. Default: it lets everybody in. Needs `native` or `embedded`. */
  readonly credentials?: Credentials | undefined;
  /** Serves TLS only, with a certificate made for this start: see {@link RunningBroker.ca}. Needs `native`. */
  readonly tls?: boolean | undefined;
  /** Lines added to the end of the server's configuration file. Needs `native`. */
  readonly config?: readonly string[] | undefined;
  /** Aborting it while `startBroker` waits rejects with its reason and leaves nothing behind. Without effect afterwards. */
  readonly signal?: AbortSignal | undefined;
}

/** A broker that answers, and the faults that can be worked on it. */
export interface RunningBroker extends AsyncDisposable {
  readonly name: BrokerName;
  /** What it says it is: `mosquitto`, `lab-mqtt-broker`; `unknown` where it does not say. */
  readonly product: string;
  readonly version: string;
  /** False for embedded brokers and simulators. A broker that was running already counts as real unless it says otherwise. */
  readonly real: boolean;
  readonly how: How;
  /**
   * What a client connects to, credentials included. It leads through the test bed's own TCP proxy (but for a Kafka that
   * was running already, whose clients go where it tells them to), which is what
   * `cut` and `pause` act on, and stays the same over `kill` and `start`.
   */
  readonly url: string;
  /** The broker itself, without the proxy: for measuring. `cut` and `pause` do not reach it; `start` changes it. */
  readonly directUrl: string;
  /** PEM of the authority that signed the broker's certificate: what a client has to trust. Only with `tls`. */
  readonly ca?: string | undefined;
  /**
   * Destroys all connections made through `url` at once (TCP reset, no goodbye); the broker lives on and accepts new
   * ones. Resolves when they are gone.
   */
  cut(): Promise<void>;
  /** From now on the proxy keeps connections open and accepts new ones, but forwards nothing. */
  pause(): void;
  /** Forwards again, what was held back first. */
  resume(): void;
  /**
   * Kills the server with SIGKILL and resets all connections through `url`; resolves when the process is gone. A
   * broker that keeps its state in memory is made to write it to disk just before, while the proxy forwards nothing,
   * so everything that was confirmed to a client of `url` is there again after `start`. Absent where we do not own a
   * process whose state can survive: `running` and `embedded`.
   */
  kill?(): Promise<void>;
  /** Starts the killed server with its data; resolves when it accepts connections. Does nothing if it runs. */
  start?(): Promise<void>;
  /** `kill`, then `start`. */
  restart?(): Promise<void>;
  /**
   * Runs the server's own command for administrators (`rabbitmqctl`) and returns what it writes; rejects with what it
   * writes when it fails. Absent where there is none, or the broker was running already.
   */
  admin?(...args: string[]): Promise<string>;
  /** Ends the broker if we started it, removes its data, closes the proxy. A second call joins the first. */
  stop(): Promise<void>;
}

/** What `startBroker` would use. */
export interface Candidate {
  readonly how: How;
  readonly product: string;
  readonly version: string;
  readonly real: boolean;
  /** The URL, image, file or package it comes from. */
  readonly where: string;
}

export interface Availability {
  readonly name: BrokerName;
  /** Absent when there is nothing to use. */
  readonly use: Candidate | undefined;
  /** The ways considered before it, and why each was not taken. */
  readonly passedOver: readonly { readonly how: How; readonly why: string }[];
}
