import { LabError } from "@lab/core";
import type { Credentials } from "./broker.ts";
import type { BrokerKind } from "./kind.ts";

/** Where a broker listens, and as whom to connect. */
export interface Target {
  readonly host: string;
  readonly port: number;
  readonly tls: boolean;
  readonly credentials: Credentials | undefined;
  /** What follows host and port in its URL, from the `/` on. AMQP: the virtual host, and parameters. */
  readonly path?: string | undefined;
}

interface LocalOptions {
  readonly tls?: boolean | undefined;
  readonly credentials?: Credentials | undefined;
  readonly path?: string | undefined;
}

/** A broker, or the proxy before it, on this machine. */
export function local(port: number, { tls = false, credentials, path }: LocalOptions = {}): Target {
  return { host: "127.0.0.1", port, tls, credentials, path };
}

export function urlOf(kind: BrokerKind, { host, port, tls, credentials, path }: Target): string {
  const user = credentials
    ? `${encodeURIComponent(credentials.username)}:${encodeURIComponent(credentials.password)}@`
    : "";
  const name = host.includes(":") ? `[${host}]` : host;
  return `${(tls ? kind.schemes.tls : kind.schemes.plain).name}://${user}${name}:${port}${path ?? ""}`;
}

/** @throws {LabError} `INVALID_OPTION` when it is not a URL of this kind of broker. `name` says whose value it is. */
export function parseUrl(kind: BrokerKind, url: string, name: string): Target {
  const { plain, tls } = kind.schemes;
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  const scheme = [plain, tls].find((candidate) => parsed?.protocol === `${candidate.name}:`);
  if (parsed === undefined || scheme === undefined || parsed.hostname === "") {
    throw new LabError(
      "INVALID_OPTION",
      `Expected \`${name}\` to be a URL such as ${plain.name}://localhost:${plain.port} or ` +
        `${tls.name}://user:password@host:${tls.port}, got "${withoutPassword(url)}".`,
    );
  }
  const username = decodeURIComponent(parsed.username);
  const password = decodeURIComponent(parsed.password);
  return {
    host: parsed.hostname.replace(/^\[(.*)\]$/, "$1"),
    port: parsed.port === "" ? scheme.port : Number(parsed.port),
    tls: scheme === tls,
    credentials: username === "" ? undefined : { username, password },
    path: `${parsed.pathname}${parsed.search}`.replace(/^\/$/, "") || undefined,
  };
}

/** For messages: passwords belong in no log. */
export function withoutPassword(url: string): string {
  return url.replace(/^([^/]*\/\/[^:/@]*):.*@/, "$1:***@");
}
