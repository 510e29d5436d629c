import type { StartOptions } from "./broker.ts";
import type { Target } from "./target.ts";

/**
 * What a kind of broker tells the test bed: how to greet it and how each way of starting it goes. A new broker is one
 * file that makes such an object, and one line in `kinds/index.ts`.
 */
export interface BrokerKind {
  readonly name: string;
  /** Environment variable with the URL of a broker that runs already. */
  readonly urlVariable: string;
  /** Makes a URL of what the variable holds, where people are used to write it in another way. */
  readonly url?: (value: string) => string;
  /** URL schemes and the ports they stand for when a URL names none. */
  readonly schemes: { readonly plain: Scheme; readonly tls: Scheme };
  /**
   * Connects, completes the protocol's handshake, asks who answers and leaves. One attempt; rejects after a few
   * seconds, and with `ACCESS_REFUSED` when the credentials are not accepted.
   */
  handshake(target: Target, trust: Trust): Promise<Identity>;
  /**
   * Clients connect to the address that the broker tells them, whatever they were given. So it is told the proxy's when
   * it is started; one that runs already tells its own, and cannot be put behind a proxy.
   */
  readonly advertises?: true;
  readonly docker: DockerSetup;
  /** Absent where the server is not to be had as a program. */
  readonly native?: NativeSetup;
  /** Absent where nobody has written such a broker in JavaScript. */
  readonly embedded?: EmbeddedSetup;
  /** What tests of this kind use beside the server. It is installed with it. */
  readonly tools?: readonly Tool[];
}

/** A program that is no server. */
export interface Tool {
  readonly name: string;
  /** Debian packages that bring it. */
  readonly packages: readonly string[];
  isThere(): boolean;
}

/** One whose server can be installed. */
export type NativeKind = BrokerKind & { readonly native: NativeSetup };

export function hasNative(kind: BrokerKind): kind is NativeKind {
  return kind.native !== undefined;
}

export interface Scheme {
  readonly name: string;
  readonly port: number;
}

export interface Identity {
  readonly product: string;
  readonly version: string;
  /** False where the broker says that it is an embedded one. */
  readonly real: boolean;
}

export interface Trust {
  /** PEM of the authority to trust beside the system's. */
  readonly ca?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** How to make a server write its memory to disk: it replaces `file` of its data folder when it gets `signal`. */
export interface SaveOnSignal {
  readonly signal: "SIGUSR1";
  readonly file: string;
}

/** The same by the server's own command for administrators, with these arguments. */
export interface SaveByCommand {
  readonly admin: readonly string[];
}

export type Save = SaveOnSignal | SaveByCommand;

/** A service of `docker/compose.yaml`. */
export interface DockerSetup {
  readonly profile: string;
  readonly service: string;
  /** Variable of the compose file that takes the port on the host. */
  readonly portVariable: string;
  /**
   * For one that advertises: variables that take the port on the host of a second listener, and the port that this one
   * advertises.
   */
  readonly advertise?: { readonly portVariable: string; readonly advertisedVariable: string };
  /** Data folder within the container. */
  readonly dataFolder: string;
  readonly save?: Save;
  /** The server's own command for administrators, within the container. */
  readonly admin?: string;
}

export interface NativeSetup {
  readonly product: string;
  /** Executable: searched on `PATH`, or an absolute path. */
  readonly command: string;
  /** Debian packages that bring it, and what the user should know before they are installed. */
  readonly packages: readonly string[];
  readonly note: string;
  /** Says what is missing though the command is there. */
  readonly missing?: () => string | undefined;
  /** Commands that bring what no package has. They are run when the packages are there. */
  readonly fetch?: () => readonly (readonly string[])[];
  version(path: string): Promise<string>;
  /** What it writes to its log once its listener is bound. */
  readonly listening: RegExp;
  /**
   * Writes what the server needs into its empty or used data folder; returns how to start it.
   * @param advertised for one that advertises: the port of the proxy.
   */
  prepare(
    folder: string,
    port: number,
    options: StartOptions,
    advertised: number,
  ): Promise<NativePlan>;
  readonly save?: Save;
}

export interface NativePlan {
  /** Run in place of `NativeSetup.command`. The server becomes, or stays in, the process group of what is run. */
  readonly command?: string;
  readonly args: readonly string[];
  /** Added to the environment of this process. */
  readonly env?: Readonly<Record<string, string>>;
  /** Ports that it binds beside the one given. */
  readonly ports?: readonly number[];
  /** For one that advertises: the one of them that is for connections through the proxy. */
  readonly behindProxy?: number;
  readonly ca?: string | undefined;
  /** The server's own command for administrators: a path. It gets `env` too. */
  readonly admin?: string;
}

export interface EmbeddedSetup extends Identity {
  /** Port on 127.0.0.1 that it listens on, and its end. */
  start(options: StartOptions): Promise<{ readonly port: number; stop(): Promise<void> }>;
}
