/** A broker's client library alone, used the way a careful user would: what our publishers are compared with. */
export interface PlainClient {
  /** The npm package, and its version. */
  readonly client: string;
  /** The broker's URL is that of its rig, and the destination too. */
  connect(url: string, destination: string): Promise<PlainPublisher>;
}

export interface PlainPublisher {
  /** Resolves when the broker has confirmed all. */
  publish(bodies: readonly Buffer[]): Promise<void>;
  close(): Promise<void>;
}
