import type { Candidate, How, StartOptions } from "./broker.ts";
import { findCommand } from "./command.ts";
import { dockerImage, startDocker } from "./docker.ts";
import { type BrokerKind, hasNative } from "./kind.ts";
import { startNative } from "./native.ts";
import { greetRunning, runningUrl } from "./running.ts";
import type { Server } from "./server.ts";
import { local, withoutPassword } from "./target.ts";

/** A way that can be gone. */
export interface OpenWay {
  readonly candidate: Candidate;
  /** `advertised`: the port of the proxy before it, for a broker that advertises. */
  start(advertised: number): Promise<Server>;
}

export type Way = (kind: BrokerKind, options: StartOptions) => Promise<OpenWay | { why: string }>;

const running: Way = async (kind, options) => {
  const url = runningUrl(kind);
  if (url === undefined) return { why: `${kind.urlVariable} is not set` };
  const asked = configured(options);
  if (asked !== undefined) return { why: `it is as it is, and \`${asked}\` was asked for` };
  const server = await greetRunning(kind, url, options.signal);
  if (options.real && !server.identity.real) {
    return { why: `${kind.urlVariable} names an embedded ${server.identity.product}` };
  }
  return {
    candidate: { how: "running", ...server.identity, where: withoutPassword(url) },
    start: async () => server,
  };
};

const docker: Way = async (kind, options) => {
  const asked = configured(options);
  if (asked !== undefined) return { why: `the compose file does not do \`${asked}\`` };
  const found = await dockerImage(kind);
  if ("why" in found) return found;
  const version = /:([^:/@]+)(?:@|$)/.exec(found.image)?.[1] ?? "unknown";
  const identity = { product: kind.docker.service, version, real: true };
  return {
    candidate: { how: "docker", ...identity, where: found.image },
    start: (advertised) => startDocker(kind, options.signal, advertised),
  };
};

const native: Way = async (kind, options) => {
  if (!hasNative(kind)) return { why: "its server is not to be had as a program" };
  const { product, command, version, missing } = kind.native;
  const path = findCommand(command);
  const why = path === undefined ? `${command} is not installed` : missing?.();
  if (path === undefined || why !== undefined) return { why: why ?? "" };
  return {
    candidate: { how: "native", product, version: await version(path), real: true, where: path },
    start: (advertised) => startNative(kind, path, options, undefined, advertised),
  };
};

const embedded: Way = async (kind, options) => {
  if (kind.embedded === undefined) return { why: `nobody has written one for ${kind.name}` };
  const { product, version, real, start } = kind.embedded;
  if (options.real) return { why: `${product} is not a real broker` };
  const asked = options.tls ? "tls" : options.config ? "config" : undefined;
  if (asked !== undefined) return { why: `${product} does not do \`${asked}\`` };
  return {
    candidate: { how: "embedded", product, version, real, where: `npm package ${product}` },
    start: async () => {
      const { port, stop } = await start(options);
      const target = local(port, options);
      try {
        return { target, identity: await kind.handshake(target, options), stop };
      } catch (error) {
        await stop();
        throw error;
      }
    },
  };
};

/** In the order in which they are considered. */
export const ways: readonly (readonly [How, Way])[] = [
  ["running", running],
  ["docker", docker],
  ["native", native],
  ["embedded", embedded],
];

/** The option that only a server of our own making can honour, if one was given. */
function configured({ credentials, tls, config }: StartOptions): string | undefined {
  if (credentials) return "credentials";
  if (tls) return "tls";
  return config ? "config" : undefined;
}
