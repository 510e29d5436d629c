import { LabError, type OutgoingMessage, type PublisherCapabilities } from "@lab/core";
import type { Batch } from "@lab/core/adapter";
import type solace from "solclientjs";
import { Link } from "./link.ts";
import type { PublisherSettings } from "./options.ts";
import { nativeOf, unsupported } from "./outgoing.ts";
import { lossOf, messageRefusal } from "./refusal.ts";

/** How long the client waits before it sends again what was not confirmed, in ms. */
const resendAfter = 2_000;

export interface OutletEvents {
  /** There is room again. */
  ready(): void;
  /** A message is decided. */
  progress(): void;
  /** No more messages go out here. Those in flight are still to be failed. */
  lost(cause: LabError): void;
}

interface InFlight {
  readonly batch: Batch;
  readonly index: number;
}

/** One session of the client's with its publisher: sends messages, again after a reconnect, and learns what became of them. */
export class Outlet {
  readonly #settings: PublisherSettings;
  readonly #capabilities: PublisherCapabilities;
  readonly #events: OutletEvents;
  readonly #link: Link;
  /** By correlation key, in the order sent. Keys are texts: of an object the client gives back a copy. */
  readonly #inFlight = new Map<string, InFlight>();
  #sent = 0;
  #session: solace.Session | undefined;
  #full = false;
  #over = false;
  /** Why it is not connected, while it is not. */
  trouble: string | undefined;

  constructor(
    settings: PublisherSettings,
    capabilities: PublisherCapabilities,
    events: OutletEvents,
  ) {
    this.#settings = settings;
    this.#capabilities = capabilities;
    this.#events = events;
    this.#link = new Link(settings, {
      lost: (cause) => {
        this.trouble = cause.message;
      },
      trouble: (cause) => {
        this.trouble = cause.message;
      },
      back: () => {
        this.trouble = undefined;
        this.#full = false;
        events.ready();
      },
      refused: (error) => this.#lose(error),
    });
  }

  /**
   * Where it rejects, the caller destroys it.
   * @throws {LabError} `ACCESS_REFUSED`, `BROKER_UNREACHABLE` or `INVALID_OPTION`
   */
  async open(): Promise<void> {
    const { solace, window } = this.#settings;
    const session = await this.#link.open({
      enabled: true,
      windowSize: window,
      acknowledgeMode: solace.MessagePublisherAcknowledgeMode.PER_MESSAGE,
      acknowledgeTimeoutInMsecs: resendAfter,
    });
    const code = solace.SessionEventCode;
    session.on(code.ACKNOWLEDGED_MESSAGE, (event) => this.#decide(event));
    session.on(code.REJECTED_MESSAGE_ERROR, (event) => this.#decide(event, event));
    session.on(code.CAN_ACCEPT_DATA, () => {
      this.#full = false;
      this.#events.ready();
    });
    session.on(code.GUARANTEED_MESSAGE_PUBLISHER_DOWN, (event) => {
      this.#lose(lossOf("the publisher", event));
    });
    if (!session.isCapable(solace.CapabilityType.GUARANTEED_MESSAGE_PUBLISH)) {
      const text =
        "The broker offers no guaranteed messaging to this user. Check its client profile.";
      throw new LabError("ACCESS_REFUSED", text);
    }
    this.#session = session;
  }

  get canSend(): boolean {
    return (
      this.#session !== undefined &&
      this.#link.up &&
      !this.#over &&
      !this.#full &&
      this.#inFlight.size < this.#settings.window
    );
  }

  get inFlight(): number {
    return this.#inFlight.size;
  }

  /** False when there was no room after all: the message is to be sent again once there is. */
  send(batch: Batch, index: number): boolean {
    const message = batch.messages[index] as OutgoingMessage;
    const fault = unsupported(message, this.#capabilities);
    if (fault !== undefined) {
      batch.decide(index, fault);
      return true;
    }
    const { solace } = this.#settings;
    const key = `${this.#sent}`;
    try {
      const native = this.#nativeOf(message, batch.destination);
      native.setCorrelationKey(key);
      this.#session?.send(native);
      this.#sent++;
      this.#inFlight.set(key, { batch, index });
    } catch (thrown) {
      const { subcode } = thrown as { subcode?: unknown };
      if (subcode === solace.ErrorSubcode.INSUFFICIENT_SPACE) {
        this.#full = true;
        return false;
      }
      batch.decide(index, messageRefusal(solace, batch.destination, thrown));
    }
    return true;
  }

  /** Takes back what is in flight: nobody will know what has become of it. */
  takeInFlight(): readonly InFlight[] {
    const taken = [...this.#inFlight.values()];
    this.#inFlight.clear();
    return taken;
  }

  /** Never rejects; takes a few seconds at most. */
  async close(): Promise<void> {
    this.#over = true;
    await this.#link.close();
  }

  /** Without waiting for the broker's answer to the goodbye. Never rejects. */
  destroy(cause: Error): Promise<void> {
    this.#over = true;
    return this.#link.destroy(cause);
  }

  #nativeOf(message: OutgoingMessage, destination: string): solace.Message {
    const { solace, deadMessageQueueEligible } = this.#settings;
    const native = nativeOf(solace, message);
    const { SolclientFactory } = solace;
    native.setDMQEligible(deadMessageQueueEligible);
    native.setDestination(
      this.#settings.destination === "queue"
        ? SolclientFactory.createDurableQueueDestination(destination)
        : SolclientFactory.createTopicDestination(destination),
    );
    return native;
  }

  /** The broker's answer to one message, or the client's. */
  #decide(event: object, refusal?: object): void {
    const { correlationKey } = event as { readonly correlationKey?: string };
    const sent = this.#inFlight.get(correlationKey ?? "");
    if (sent === undefined) return; // Given up before.
    this.#inFlight.delete(correlationKey ?? "");
    const { batch, index } = sent;
    const { solace } = this.#settings;
    batch.decide(index, refusal && messageRefusal(solace, batch.destination, refusal));
    this.#events.progress();
  }

  #lose(cause: LabError): void {
    if (this.#over) return;
    this.#over = true;
    this.#events.lost(cause);
  }
}
