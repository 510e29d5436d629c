import { connect as connectTcp, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { LabError } from "@lab/core";
import type { How, RunningBroker } from "./broker.ts";
import type { BrokerKind } from "./kind.ts";
import type { BrokerName } from "./kinds/index.ts";
import { openProxy, type TcpProxy } from "./proxy.ts";
import type { Server, ServerControl } from "./server.ts";
import { local, urlOf } from "./target.ts";

/** Starts a server behind a proxy, and offers the faults. */
export async function startBehindProxy(
  name: BrokerName,
  kind: BrokerKind,
  how: How,
  start: (advertised: number) => Promise<Server>,
): Promise<RunningBroker> {
  let started: Server | undefined;
  const proxy = await openProxy(() => dial(started, how));
  try {
    started = await start(proxy.port);
    return withFaults(name, kind, how, started, proxy);
  } catch (error) {
    await started?.stop();
    await proxy.close();
    throw error;
  }
}

function withFaults(
  name: BrokerName,
  kind: BrokerKind,
  how: How,
  server: Server,
  proxy: TcpProxy,
): RunningBroker {
  const { tls, credentials, path } = server.target;
  const direct = how === "running" && kind.advertises === true;
  const throughProxy = local(proxy.port, { tls: tls && how !== "running", credentials, path });
  const cannot = (): LabError =>
    new LabError(
      "INVALID_OPTION",
      `The ${name} broker in ${kind.urlVariable} advertises its own addresses, so it cannot be cut or paused. Unset ` +
        `${kind.urlVariable} to let the test bed start one.`,
    );
  const hold = holder(proxy);
  const inTurn = oneAtATime();

  let stopping: Promise<void> | undefined;
  const stop = (): Promise<void> => {
    stopping ??= inTurn(async () => {
      await proxy.close();
      await server.stop();
    });
    return stopping;
  };

  const control = async (work: (control: ServerControl) => Promise<void>): Promise<void> => {
    const owned = server.control;
    if (stopping || owned === undefined) {
      throw new LabError("BROKER_START_FAILED", `This ${name} broker was stopped for good.`);
    }
    return inTurn(() => work(owned));
  };
  const kill = async (owned: ServerControl): Promise<void> => {
    hold.set("kill", true);
    try {
      await owned.save();
      await owned.kill();
      await proxy.cut();
    } finally {
      hold.set("kill", false);
    }
  };

  return {
    name,
    ...server.identity,
    how,
    url: urlOf(kind, direct ? server.target : throughProxy),
    get directUrl() {
      return urlOf(kind, server.target);
    },
    ca: server.ca,
    cut: () => (direct ? Promise.reject(cannot()) : proxy.cut()),
    pause: () => {
      if (direct) throw cannot();
      hold.set("user", true);
    },
    resume: () => hold.set("user", false),
    ...(server.control && {
      kill: () => control(kill),
      start: () => control((owned) => owned.start()),
      restart: () =>
        control(async (owned) => {
          await kill(owned);
          await owned.start();
        }),
    }),
    ...(server.admin && { admin: server.admin }),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

function dial(server: Server | undefined, how: How): Socket {
  const { host, port, tls } = server?.target ?? local(0);
  const options = { host, port: server?.behindProxy ?? port, allowHalfOpen: true };
  // The certificate of a server elsewhere is made out to its own name, so the proxy speaks TLS with it, and plain TCP here.
  return tls && how === "running" ? connectTls(options) : connectTcp(options);
}

/** The proxy is held while anybody wants it to be. */
function holder(proxy: TcpProxy) {
  const wanted = new Set<string>();
  return {
    set: (who: string, held: boolean): void => {
      if (held) wanted.add(who);
      else wanted.delete(who);
      if (wanted.size > 0) proxy.pause();
      else proxy.resume();
    },
  };
}

function oneAtATime(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const next = last.then(work, work);
    last = next;
    return next;
  };
}
